// k-member clustering for protection: classes of exactly k records whose sensitive values help
// least to guess each other.  The objective function of k-member clustering (Byun et al. 2007) is
// replaced by S-diversity; Loukides and Shao, PAIS 2008. Only the sensitive values decide, so
// records are chosen by their profile, the combination of them: O(records x profiles).  Twin:
// tests/naive/clustering.py.
#include <nanobind/stl/function.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "clustering/buckets.hpp"

namespace incrowd {

namespace {

constexpr double kUnit = 0x1p40;  // contributions in whole numbers: their sums are exact

struct Contributions {
    std::size_t n_values;
    std::vector<std::int64_t> pairs;

    const std::int64_t* of(std::int32_t value) const {
        return pairs.data() + static_cast<std::size_t>(value) * n_values;
    }
};

struct Table {
    std::vector<Contributions> columns;
    const std::int32_t* codes;  // (columns, tuples)
    const std::int64_t* records;
    std::size_t n;

    std::int32_t code(std::size_t column, std::int32_t tuple) const {
        return codes[column * n + static_cast<std::size_t>(tuple)];
    }
    // How much two tuples help to guess each other, over all columns.
    std::int64_t between(std::int32_t one, std::int32_t other) const {
        std::int64_t sum = 0;
        for (std::size_t s = 0; s < columns.size(); ++s)
            sum += columns[s].of(code(s, one))[code(s, other)];
        return sum;
    }
};

// Tuples with the same sensitive values, in order; those from `next` on have records left.
struct Profile {
    std::vector<std::int32_t> tuples;
    std::size_t next = 0;
    std::int64_t left = 0;  // records of the next tuple

    std::int32_t tuple() const { return tuples[next]; }
};

std::vector<Profile> profiles_of(const Table& table, const Bucket& bucket) {
    std::vector<std::int32_t> sorted(bucket.stop - bucket.start);
    for (std::size_t at = 0; at < sorted.size(); ++at)
        sorted[at] = static_cast<std::int32_t>(bucket.start + at);
    const auto compare = [&](std::int32_t a, std::int32_t b) {
        for (std::size_t s = 0; s < table.columns.size(); ++s)
            if (table.code(s, a) != table.code(s, b)) return table.code(s, a) < table.code(s, b);
        return false;
    };
    std::stable_sort(sorted.begin(), sorted.end(), compare);
    std::vector<Profile> found;
    for (const std::int32_t tuple : sorted) {
        if (found.empty() || compare(found.back().tuples[0], tuple))
            found.push_back({{}, 0, table.records[tuple]});
        found.back().tuples.push_back(tuple);
    }
    return found;
}

class KMembersP {
  public:
    KMembersP(const Table& table, const Bucket& bucket, std::int64_t k, Meter& meter)
        : table_(table), k_(k), meter_(meter), profiles_(profiles_of(table, bucket)) {
        for (const Contributions& column : table.columns) near_.emplace_back(column.n_values);
        for (std::size_t i = bucket.start; i < bucket.stop; ++i) left_ += table.records[i];
        std::int64_t before = bucket.first;
        std::size_t first = bucket.start;
        while (before >= table.records[first]) before -= table.records[first++];
        last_seed_ = static_cast<std::int32_t>(first);
    }

    Dealt run() {
        for (; left_ >= k_; ++dealt_.n_classes) {
            clear();
            add_contributions(last_seed_);
            const std::size_t seed = farthest(1);
            last_seed_ = profiles_[seed].tuple();
            clear();
            take(seed);
            for (std::int64_t size = 1; size < k_; ++size) take(farthest(size));
            numerators_.push_back(numerator_);
        }
        deal_leftovers();
        return std::move(dealt_);
    }

  private:
    void clear() {
        for (auto& column : near_) std::fill(column.begin(), column.end(), 0);
        numerator_ = 0.0;
    }

    void add_contributions(std::int32_t tuple) {
        for (std::size_t s = 0; s < near_.size(); ++s) {
            const std::int64_t* row = table_.columns[s].of(table_.code(s, tuple));
            for (std::size_t v = 0; v < near_[s].size(); ++v) near_[s][v] += row[v];
        }
    }

    std::int64_t nearness(std::int32_t tuple) const {
        std::int64_t sum = 0;
        for (std::size_t s = 0; s < near_.size(); ++s)
            sum += near_[s][static_cast<std::size_t>(table_.code(s, tuple))];
        return sum;
    }

    // The profile that the values of `size` records tell least about; of equal ones that with the
    // first tuple.  Each contribution was rounded by up to half a unit.
    std::size_t farthest(std::int64_t size) const {
        const std::int64_t tie = size * static_cast<std::int64_t>(near_.size());
        std::size_t best_at = 0;
        std::int64_t best = std::numeric_limits<std::int64_t>::max() / 2;
        for (std::size_t p = 0; p < profiles_.size(); ++p) {
            const std::int64_t sum = nearness(profiles_[p].tuple());
            if (sum < best - tie ||
                (sum <= best + tie && profiles_[p].tuple() < profiles_[best_at].tuple()))
                best_at = p;
            best = std::min(best, sum);
        }
        return best_at;
    }

    void take(std::size_t at) {
        Profile& profile = profiles_[at];
        const std::int32_t tuple = profile.tuple();
        numerator_ += static_cast<double>(2 * nearness(tuple) + table_.between(tuple, tuple));
        add_contributions(tuple);
        dealt_.add(tuple, dealt_.n_classes, 1);
        --left_;
        if (--profile.left == 0) {
            if (++profile.next < profile.tuples.size()) {
                profile.left = table_.records[profile.tuple()];
            } else {
                std::swap(profile, profiles_.back());
                profiles_.pop_back();
            }
        }
        meter_.advance(1);
    }

    // Fewer than k records are left: each joins the class whose S-diversity it raises least.
    void deal_leftovers() {
        std::vector<std::int32_t> leftovers;  // one by one
        for (const Profile& profile : profiles_)
            for (std::size_t at = profile.next; at < profile.tuples.size(); ++at)
                leftovers.insert(leftovers.end(),
                                 static_cast<std::size_t>(at == profile.next
                                                              ? profile.left
                                                              : table_.records[profile.tuples[at]]),
                                 profile.tuples[at]);
        std::sort(leftovers.begin(), leftovers.end());
        std::vector<double> sizes(numerators_.size(), static_cast<double>(k_));
        for (const std::int32_t tuple : leftovers) {
            std::vector<std::int64_t> near(sizes.size(), 0);
            for (std::size_t p = 0; p < dealt_.tuple_of.size(); ++p)
                near[static_cast<std::size_t>(dealt_.class_of[p])] +=
                    dealt_.records[p] * table_.between(dealt_.tuple_of[p], tuple);
            join_best(tuple, near, sizes);
            meter_.advance(1);
        }
    }

    void join_best(std::int32_t tuple, const std::vector<std::int64_t>& near,
                   std::vector<double>& sizes) {
        const std::int64_t itself = table_.between(tuple, tuple);
        const double tie = 2.0 * static_cast<double>(near_.size());  // units, as above
        std::size_t best_at = 0;
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < sizes.size(); ++c) {
            const double with = numerators_[c] + static_cast<double>(2 * near[c] + itself);
            const double increase = with / ((sizes[c] + 1.0) * (sizes[c] + 1.0)) -
                                    numerators_[c] / (sizes[c] * sizes[c]);
            if (increase < best - tie) best = increase, best_at = c;
        }
        numerators_[best_at] += static_cast<double>(2 * near[best_at] + itself);
        sizes[best_at] += 1.0;
        dealt_.add(tuple, static_cast<std::int32_t>(best_at), 1);
    }

    const Table& table_;
    const std::int64_t k_;
    Meter& meter_;
    std::vector<Profile> profiles_;
    // By column and value: what the values of the class contribute to guessing it.
    std::vector<std::vector<std::int64_t>> near_;
    double numerator_ = 0.0;          // the sum over all ordered pairs of the class
    std::vector<double> numerators_;  // of the finished classes
    std::int32_t last_seed_ = 0;
    std::int64_t left_ = 0;
    Dealt dealt_;
};

Contributions read_contributions(const In<double, 2>& given) {
    if (given.shape(0) != given.shape(1))
        throw std::invalid_argument("k_members_p: contributions are between all pairs of values");
    Contributions read{given.shape(0), std::vector<std::int64_t>(given.size())};
    for (std::size_t at = 0; at < given.size(); ++at) {
        if (!(given.data()[at] >= 0.0 && given.data()[at] <= 1.0))
            throw std::invalid_argument("k_members_p: a contribution is not between 0 and 1");
        read.pairs[at] = std::llrint(given.data()[at] * kUnit);
    }
    return read;
}

}  // namespace

void bind_k_members_p(nb::module_& module) {
    module.def(
        "k_members_p",
        [](std::vector<In<double, 2>> contributions, In<std::int32_t, 2> codes,
           In<std::int64_t, 1> records, std::int64_t k, In<std::int64_t, 1> starts,
           In<std::int64_t, 1> firsts, std::size_t threads, Meter::Report report) {
            Table table{{}, codes.data(), records.data(), records.size()};
            for (const auto& each : contributions)
                table.columns.push_back(read_contributions(each));
            if (table.columns.empty() || codes.shape(0) != table.columns.size() ||
                codes.shape(1) != table.n || table.n > std::numeric_limits<std::int32_t>::max())
                throw std::invalid_argument("k_members_p: the arrays do not fit together");
            for (std::size_t at = 0; at < codes.size(); ++at)
                if (codes.data()[at] < 0 || static_cast<std::size_t>(codes.data()[at]) >=
                                                table.columns[at / table.n].n_values)
                    throw std::invalid_argument("k_members_p: a code is out of range");
            return deal_buckets(read_buckets(starts, firsts, records, k), threads, report,
                                [&](const Bucket& bucket, Meter& meter) {
                                    return KMembersP(table, bucket, k, meter).run();
                                });
        },
        nb::arg("contributions"), nb::arg("codes"), nb::arg("records"), nb::arg("k"),
        nb::arg("starts"), nb::arg("firsts"), nb::arg("threads"), nb::arg("report"));
}

}  // namespace incrowd
