#include "clustering/gain_split.hpp"

#include <limits>
#include <numeric>

namespace incrowd {
namespace {
int64_t records_in(const Region& region) {
    int64_t sum = 0;
    for (const Share& share : region) sum += share.records;
    return sum;
}

// The codes that some rows span, by column.
class Span {
  public:
    explicit Span(std::span<const FixedColumn> columns)
        : columns_(columns), low_(columns.size(), std::numeric_limits<int32_t>::max()),
          high_(columns.size(), -1) {}

    bool changed = false;  // whether some row may cost more or less with the span than before

    void widen(const int32_t* row) {
        for (size_t j = 0; j < low_.size(); ++j) {
            const int32_t low = std::min(low_[j], row[j]), high = std::max(high_[j], row[j]);
            if (low == low_[j] && high == high_[j]) continue;
            // In a tree the lowest node that covers the span is all that counts.
            const FixedColumn& column = columns_[j];
            changed = changed || column.line || high_[j] < 0 ||
                      column.climb(column.start[low], high) !=
                          column.climb(column.start[low_[j]], high_[j]);
            low_[j] = low;
            high_[j] = high;
        }
    }

    int64_t cost_with(const int32_t* row) const {
        int64_t cost = 0;
        for (size_t j = 0; j < low_.size(); ++j)
            cost += columns_[j].span_cost(std::min(low_[j], row[j]), std::max(high_[j], row[j]));
        return cost;
    }

  private:
    std::span<const FixedColumn> columns_;
    std::vector<int32_t> low_, high_;
};

class GainSplit {
  public:
    // `codes` is (tuples, columns), row by row.
    GainSplit(std::span<const FixedColumn> columns, std::span<const int32_t> codes, int64_t k,
              Meter& meter)
        : columns_(columns), codes_(codes), k_(k), meter_(meter), d_(columns.size()), low_(d_),
          high_(d_) {
        for (const FixedColumn& column : columns_) {
            std::vector<int32_t> start(static_cast<size_t>(column.n_nodes) + 1, 0), list;
            for (int32_t node = 0; node < column.n_nodes; ++node)
                if (column.parent[node] != node) ++start[column.parent[node] + 1];
            std::partial_sum(start.begin(), start.end(), start.begin());
            list.resize(static_cast<size_t>(start.back()));
            std::vector<int32_t> next(start.begin(), start.end());
            for (int32_t node = 0; node < column.n_nodes; ++node)
                if (column.parent[node] != node)
                    list[next[column.parent[node]]++] = column.high[node];
            for (int32_t node = 0; node < column.n_nodes; ++node)
                std::sort(list.begin() + start[node], list.begin() + start[node + 1]);
            child_start_.push_back(std::move(start));
            child_ends_.push_back(std::move(list));
        }
    }

    // Splits until nothing gains, or every part holds at most `enough` records.
    std::vector<Region> split_down(Region whole, int64_t enough) {
        std::vector<Region> open, done;
        open.push_back(std::move(whole));
        while (!open.empty()) {
            Region region = std::move(open.back());
            open.pop_back();
            meter_.advance(0);
            std::vector<Region> parts;
            if (records_in(region) > enough) parts = split(region);
            if (parts.size() < 2) {
                done.push_back(std::move(region));
                continue;
            }
            for (size_t part = parts.size(); part-- > 0;) open.push_back(std::move(parts[part]));
        }
        return done;
    }

  private:
    struct Lender {
        size_t part, at;  // a share of a part
    };
    struct Plan {
        size_t column = 0;
        int64_t cost = 0;              // estimated, of all parts over all columns
        std::vector<int32_t> ends;     // a piece holds the codes below its end
        std::vector<int32_t> part_of;  // by piece: its part; -1 is the rest, the last part
        size_t n_parts = 0;            // without the rest
        int64_t rest = 0;              // records in it
    };

    // Splits a region once, by the column that gains most; one part if no split gains.
    std::vector<Region> split(const Region& region) {
        const int64_t before = total_cost(region);
        if (records_ < 2 * k_ || before == 0) return {region};
        std::vector<Plan> plans;
        for (size_t j = 0; j < d_; ++j) {
            Plan candidate;
            if (plan(region, j, candidate)) plans.push_back(std::move(candidate));
        }
        // An estimate may be too high: what is borrowed counts in the part that lends it, too.
        std::ranges::stable_sort(plans,
                                 [](const Plan& a, const Plan& b) { return a.cost < b.cost; });
        for (const Plan& chosen : plans) {
            std::vector<Region> parts = carry_out(region, chosen);
            int64_t after = 0;
            for (const Region& part : parts) after += total_cost(part);
            if (after < before) return parts;
            survey(region);
        }
        return {region};
    }

    bool plan(const Region& region, size_t j, Plan& plan) {
        find_ends(region, j);
        const size_t n_pieces = ends_.size();
        if (n_pieces < 2) return false;
        gather(region, j, n_pieces);
        plan.column = j;
        plan.ends = ends_;
        plan.part_of.assign(n_pieces, -1);
        plan.n_parts = 0;
        plan.rest = plan.cost = 0;
        rest_low_.assign(d_, std::numeric_limits<int32_t>::max());
        rest_high_.assign(d_, -1);
        int64_t surplus = 0;
        for (size_t piece = 0; piece < n_pieces; ++piece) {
            const int64_t records = piece_records_[piece];
            const int32_t* low = piece_low_.data() + piece * d_;
            const int32_t* high = piece_high_.data() + piece * d_;
            if (records >= k_) {
                plan.part_of[piece] = static_cast<int32_t>(plan.n_parts++);
                plan.cost += records * cost_of(low, high);
                surplus += records - k_;
            } else if (records > 0) {
                plan.rest += records;
                for (size_t c = 0; c < d_; ++c) {
                    rest_low_[c] = std::min(rest_low_[c], low[c]);
                    rest_high_[c] = std::max(rest_high_[c], high[c]);
                }
            }
        }
        return plan_rest(plan, surplus);
    }

    // A tree falls into the children of the lowest node that covers the region, a line at its
    // median.
    void find_ends(const Region& region, size_t j) {
        const FixedColumn& column = columns_[j];
        ends_.clear();
        if (low_[j] == high_[j]) return;
        if (!column.line) {
            const int32_t node = column.climb(column.start[low_[j]], high_[j]);
            ends_.assign(child_ends_[j].begin() + child_start_[j][node],
                         child_ends_[j].begin() + child_start_[j][node + 1]);
            return;
        }
        const int32_t base = low_[j];
        piece_records_.assign(static_cast<size_t>(high_[j] - base) + 1, 0);
        for (const Share& share : region)
            piece_records_[codes_[static_cast<size_t>(share.tuple) * d_ + j] - base] +=
                share.records;
        int64_t below = 0;
        int32_t code = base;
        while (code < high_[j] && 2 * (below += piece_records_[code - base]) < records_) ++code;
        if (code == high_[j]) --code;
        while (code > base && piece_records_[code - base] == 0) --code;
        ends_ = {code + 1, high_[j] + 1};
    }

    // Counts the records of each piece, and the codes it spans in every column.
    void gather(const Region& region, size_t j, size_t n_pieces) {
        const int32_t base = low_[j];
        piece_of_code_.resize(static_cast<size_t>(high_[j] - base) + 1);
        int32_t piece = 0;
        for (int32_t code = base; code <= high_[j]; ++code) {
            while (ends_[piece] <= code) ++piece;
            piece_of_code_[code - base] = piece;
        }
        piece_records_.assign(n_pieces, 0);
        piece_low_.assign(n_pieces * d_, std::numeric_limits<int32_t>::max());
        piece_high_.assign(n_pieces * d_, -1);
        for (const Share& share : region) {
            const int32_t* row = codes_.data() + static_cast<size_t>(share.tuple) * d_;
            const auto at = static_cast<size_t>(piece_of_code_[row[j] - base]);
            piece_records_[at] += share.records;
            int32_t* low = piece_low_.data() + at * d_;
            int32_t* high = piece_high_.data() + at * d_;
            for (size_t c = 0; c < d_; ++c) {
                low[c] = std::min(low[c], row[c]);
                high[c] = std::max(high[c], row[c]);
            }
        }
    }

    // Small pieces stay together; fewer than k borrow what others can spare, or else join one of
    // them.
    bool plan_rest(Plan& plan, int64_t surplus) {
        if (plan.rest == 0) return plan.n_parts >= 2;
        if (plan.n_parts == 0) return false;
        if (plan.rest < k_ && surplus < k_ - plan.rest) {
            if (plan.n_parts < 2) return false;
            join_cheapest(plan);
            return true;
        }
        const size_t j = plan.column;
        int64_t rest_cost = cost_of(rest_low_.data(), rest_high_.data());
        if (plan.rest < k_)  // what it borrows lies outside: this column stays as wide as it is
            rest_cost += columns_[j].span_cost(low_[j], high_[j]) -
                         columns_[j].span_cost(rest_low_[j], rest_high_[j]);
        plan.cost += std::max(plan.rest, k_) * rest_cost;
        return true;
    }

    // The rest and the part that costs least with it are one; all other parts stay as they are.
    void join_cheapest(Plan& plan) {
        int64_t least = std::numeric_limits<int64_t>::max();
        size_t chosen = 0;
        std::vector<int32_t> low(d_), high(d_);
        for (size_t piece = 0; piece < plan.part_of.size(); ++piece) {
            if (plan.part_of[piece] < 0) continue;
            const int32_t* own_low = piece_low_.data() + piece * d_;
            const int32_t* own_high = piece_high_.data() + piece * d_;
            for (size_t c = 0; c < d_; ++c) {
                low[c] = std::min(rest_low_[c], own_low[c]);
                high[c] = std::max(rest_high_[c], own_high[c]);
            }
            const int64_t records = piece_records_[piece];
            const int64_t added = (plan.rest + records) * cost_of(low.data(), high.data()) -
                                  records * cost_of(own_low, own_high);
            if (added < least) least = added, chosen = piece;
        }
        for (size_t piece = chosen + 1; piece < plan.part_of.size(); ++piece)
            if (plan.part_of[piece] >= 0) --plan.part_of[piece];
        plan.part_of[chosen] = -1;
        --plan.n_parts;
        plan.rest += piece_records_[chosen];
        plan.cost += least;
    }

    std::vector<Region> carry_out(const Region& region, const Plan& plan) {
        std::vector<Region> parts(plan.n_parts + (plan.rest > 0));
        for (const Share& share : region) {
            const int32_t code = codes_[static_cast<size_t>(share.tuple) * d_ + plan.column];
            const auto piece = std::upper_bound(plan.ends.begin(), plan.ends.end(), code);
            const int32_t part = plan.part_of[piece - plan.ends.begin()];
            parts[part < 0 ? plan.n_parts : static_cast<size_t>(part)].push_back(share);
        }
        if (plan.rest > 0 && plan.rest < k_) borrow(parts, k_ - plan.rest);
        return parts;
    }

    // The last part takes the records nearest to it from parts that can spare them.
    void borrow(std::vector<Region>& parts, int64_t wanted) {
        Region& rest = parts.back();
        std::vector<int64_t> surplus;
        for (size_t part = 0; part + 1 < parts.size(); ++part)
            surplus.push_back(records_in(parts[part]) - k_);
        Span span(columns_);
        for (const Share& share : rest) span.widen(row_of(share.tuple));
        while (wanted > 0) {
            meter_.advance(0);
            span.changed = false;
            for (const Lender& each : nearest(parts, surplus, span)) {
                Share& lender = parts[each.part][each.at];
                const int64_t taken = std::min({wanted, surplus[each.part], lender.records});
                if (taken == 0) continue;
                span.widen(row_of(lender.tuple));
                rest.push_back({lender.tuple, taken});
                surplus[each.part] -= taken;
                wanted -= taken;
                lender.records -= taken;
                if (span.changed) break;
            }
        }
        for (Region& part : parts)
            std::erase_if(part, [](const Share& share) { return share.records == 0; });
    }

    // The shares that cost a span least, in order. They are taken one after the other until the
    // span costs others something else: who lends thousands of records is looked at a few times.
    std::vector<Lender> nearest(const std::vector<Region>& parts,
                                const std::vector<int64_t>& surplus, const Span& span) const {
        std::vector<Lender> found;
        int64_t least = std::numeric_limits<int64_t>::max();
        for (size_t part = 0; part + 1 < parts.size(); ++part) {
            if (surplus[part] == 0) continue;
            for (size_t at = 0; at < parts[part].size(); ++at) {
                if (parts[part][at].records == 0) continue;
                const int64_t cost = span.cost_with(row_of(parts[part][at].tuple));
                if (cost < least) found.clear();
                least = std::min(least, cost);
                if (cost == least) found.push_back({part, at});
            }
        }
        return found;
    }

    void survey(const Region& region) {
        const int32_t* row = codes_.data() + static_cast<size_t>(region[0].tuple) * d_;
        std::copy_n(row, d_, low_.begin());
        std::copy_n(row, d_, high_.begin());
        for (const Share& share : region) {
            row = codes_.data() + static_cast<size_t>(share.tuple) * d_;
            for (size_t j = 0; j < d_; ++j) {
                low_[j] = std::min(low_[j], row[j]);
                high_[j] = std::max(high_[j], row[j]);
            }
        }
        records_ = records_in(region);
    }

    int64_t cost_of(const int32_t* low, const int32_t* high) const {
        int64_t cost = 0;
        for (size_t j = 0; j < d_; ++j) cost += columns_[j].span_cost(low[j], high[j]);
        return cost;
    }

    const int32_t* row_of(int32_t tuple) const {
        return codes_.data() + static_cast<size_t>(tuple) * d_;
    }

    int64_t total_cost(const Region& region) {
        survey(region);
        return records_ * cost_of(low_.data(), high_.data());
    }

    std::span<const FixedColumn> columns_;
    std::span<const int32_t> codes_;
    int64_t k_;
    Meter& meter_;
    size_t d_;
    int64_t records_ = 0;              // of the region at hand
    std::vector<int32_t> low_, high_;  // its smallest and largest code by column
    // By column: where the list of each node starts, and the ends of its children in it.
    std::vector<std::vector<int32_t>> child_start_, child_ends_;
    // Of the split at hand: the ends of its pieces; the piece of each code; what each piece holds.
    std::vector<int32_t> ends_, piece_of_code_, piece_low_, piece_high_;
    std::vector<int64_t> piece_records_;
    std::vector<int32_t> rest_low_, rest_high_;  // what its small pieces span together
};

// Regions in the order of the tree; small neighbours share a bucket.
std::vector<ClassBucket> into_buckets(std::vector<Region> regions, int64_t bucket_size) {
    std::vector<ClassBucket> buckets;
    int64_t have = bucket_size;
    for (Region& region : regions) {
        if (8 * have >= bucket_size) {
            buckets.emplace_back();
            have = 0;
        }
        for (const Share& share : region) have += share.records;
        buckets.back().classes.push_back(std::move(region));
    }
    return buckets;
}
}  // namespace

int64_t total_cost(const FixedTable& table, const Region& region) {
    int64_t cost = 0;
    for (size_t j = 0; j < table.columns.size(); ++j) {
        const auto code = [&](const Share& share) { return table.row(share.tuple)[j]; };
        const auto [low, high] = std::ranges::minmax_element(region, {}, code);
        cost += table.columns[j].span_cost(code(*low), code(*high));
    }
    return cost * records_in(region);
}

std::vector<ClassBucket> gain_split(const FixedTable& table, Region&& whole, int64_t bucket_size,
                                    size_t threads, Meter& meter) {
    GainSplit top(table.columns, table.codes, table.k, meter);
    auto buckets = into_buckets(top.split_down(std::move(whole), bucket_size), bucket_size);
    run_pieces(buckets.size(), threads, meter, [&](size_t at) {
        GainSplit splitter(table.columns, table.codes, table.k, meter);
        std::vector<Region> found;
        for (Region& region : buckets[at].classes)
            for (Region& each : splitter.split_down(std::move(region), 0))
                found.push_back(std::move(each));
        buckets[at].classes = std::move(found);
        meter.advance(1);
    });
    return buckets;
}
}  // namespace incrowd
