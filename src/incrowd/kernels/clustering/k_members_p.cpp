#include "clustering/k_members_p.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace incrowd {
namespace {
constexpr double kUnit = 0x1p40;  // contributions in whole numbers: their sums are exact

struct ProfileTable {
    const std::vector<Contributions>& columns;
    const Tuples& tuples;

    int32_t code(size_t column, int32_t tuple) const { return tuples.code(column, tuple); }
    // How much two tuples help to guess each other, over all columns.
    int64_t between(int32_t one, int32_t other) const {
        int64_t sum = 0;
        for (size_t s = 0; s < columns.size(); ++s)
            sum += columns[s].of(code(s, one))[code(s, other)];
        return sum;
    }
};

// Tuples with the same sensitive values, in order; those from `next` on have records left.
struct Profile {
    std::vector<int32_t> tuples;
    size_t next = 0;
    int64_t left = 0;  // records of the next tuple

    int32_t tuple() const { return tuples[next]; }
};

std::vector<Profile> profiles_of(const ProfileTable& table, const Bucket& bucket) {
    std::vector<int32_t> sorted(bucket.stop - bucket.start);
    for (size_t at = 0; at < sorted.size(); ++at)
        sorted[at] = static_cast<int32_t>(bucket.start + at);
    const auto compare = [&](int32_t a, int32_t b) {
        for (size_t s = 0; s < table.columns.size(); ++s)
            if (table.code(s, a) != table.code(s, b)) return table.code(s, a) < table.code(s, b);
        return false;
    };
    std::ranges::stable_sort(sorted, compare);
    std::vector<Profile> found;
    for (const int32_t tuple : sorted) {
        if (found.empty() || compare(found.back().tuples[0], tuple))
            found.push_back({{}, 0, table.tuples.records[tuple]});
        found.back().tuples.push_back(tuple);
    }
    return found;
}

class KMembersP {
  public:
    KMembersP(const ProfileTable& table, const Bucket& bucket, int64_t k, Meter& meter)
        : table_(table), k_(k), meter_(meter), profiles_(profiles_of(table, bucket)) {
        for (const Contributions& column : table.columns) near_.emplace_back(column.n_codes);
        for (size_t i = bucket.start; i < bucket.stop; ++i) left_ += table.tuples.records[i];
        int64_t before = bucket.first;
        size_t first = bucket.start;
        while (before >= table.tuples.records[first]) before -= table.tuples.records[first++];
        last_seed_ = static_cast<int32_t>(first);
    }

    Dealt run() {
        for (; left_ >= k_; ++dealt_.n_classes) {
            clear();
            add_contributions(last_seed_);
            const size_t seed = farthest(1);
            last_seed_ = profiles_[seed].tuple();
            clear();
            take(seed);
            for (int64_t size = 1; size < k_; ++size) take(farthest(size));
            numerators_.push_back(numerator_);
        }
        deal_leftovers();
        return std::move(dealt_);
    }

  private:
    void clear() {
        for (auto& column : near_) std::ranges::fill(column, 0);
        numerator_ = 0.0;
    }

    void add_contributions(int32_t tuple) {
        for (size_t s = 0; s < near_.size(); ++s) {
            const int64_t* row = table_.columns[s].of(table_.code(s, tuple));
            for (size_t v = 0; v < near_[s].size(); ++v) near_[s][v] += row[v];
        }
    }

    int64_t nearness(int32_t tuple) const {
        int64_t sum = 0;
        for (size_t s = 0; s < near_.size(); ++s)
            sum += near_[s][static_cast<size_t>(table_.code(s, tuple))];
        return sum;
    }

    // The next record, or the next seed: the profile that the values of `size` records tell least
    // about; of equal ones that with the
    // first tuple.  Each contribution was rounded by up to half a unit.
    size_t farthest(int64_t size) const {
        const int64_t tie = size * static_cast<int64_t>(near_.size());
        size_t best_at = 0;
        int64_t best = std::numeric_limits<int64_t>::max() / 2;
        for (size_t p = 0; p < profiles_.size(); ++p) {
            const int64_t sum = nearness(profiles_[p].tuple());
            if (sum < best - tie ||
                (sum <= best + tie && profiles_[p].tuple() < profiles_[best_at].tuple()))
                best_at = p;
            best = std::min(best, sum);
        }
        return best_at;
    }

    void take(size_t at) {
        Profile& profile = profiles_[at];
        const int32_t tuple = profile.tuple();
        numerator_ += static_cast<double>(2 * nearness(tuple) + table_.between(tuple, tuple));
        add_contributions(tuple);
        dealt_.add(tuple, dealt_.n_classes, 1);
        --left_;
        if (--profile.left == 0) {
            if (++profile.next < profile.tuples.size()) {
                profile.left = table_.tuples.records[profile.tuple()];
            } else {
                std::swap(profile, profiles_.back());
                profiles_.pop_back();
            }
        }
        meter_.advance(1);
    }

    // Fewer than k records are left: each joins the class whose S-diversity it raises least.
    void deal_leftovers() {
        std::vector<int32_t> leftovers;  // one by one
        for (const Profile& profile : profiles_)
            for (size_t at = profile.next; at < profile.tuples.size(); ++at)
                leftovers.insert(
                    leftovers.end(),
                    static_cast<size_t>(at == profile.next
                                            ? profile.left
                                            : table_.tuples.records[profile.tuples[at]]),
                    profile.tuples[at]);
        std::ranges::sort(leftovers);
        std::vector<double> sizes(numerators_.size(), static_cast<double>(k_));
        for (const int32_t tuple : leftovers) {
            std::vector<int64_t> near(sizes.size(), 0);
            for (size_t p = 0; p < dealt_.tuple_of.size(); ++p)
                near[dealt_.class_of[p]] +=
                    dealt_.records[p] * table_.between(dealt_.tuple_of[p], tuple);
            join_best(tuple, near, sizes);
            meter_.advance(1);
        }
    }

    void join_best(int32_t tuple, const std::vector<int64_t>& near, std::vector<double>& sizes) {
        const int64_t itself = table_.between(tuple, tuple);
        const double tie = 2.0 * static_cast<double>(near_.size());  // units, as above
        size_t best_at = 0;
        double best = std::numeric_limits<double>::infinity();
        for (size_t c = 0; c < sizes.size(); ++c) {
            const double with = numerators_[c] + static_cast<double>(2 * near[c] + itself);
            const double increase = with / ((sizes[c] + 1.0) * (sizes[c] + 1.0)) -
                                    numerators_[c] / (sizes[c] * sizes[c]);
            if (increase < best - tie) best = increase, best_at = c;
        }
        numerators_[best_at] += static_cast<double>(2 * near[best_at] + itself);
        sizes[best_at] += 1.0;
        dealt_.add(tuple, static_cast<int32_t>(best_at), 1);
    }

    const ProfileTable& table_;
    const int64_t k_;
    Meter& meter_;
    std::vector<Profile> profiles_;
    // By column and value: what the values of the class contribute to guessing it.
    std::vector<std::vector<int64_t>> near_;
    double numerator_ = 0.0;          // the sum over all ordered pairs of the class
    std::vector<double> numerators_;  // of the finished classes
    int32_t last_seed_ = 0;
    int64_t left_ = 0;
    Dealt dealt_;
};
}  // namespace

Contributions::Contributions(std::span<const double> given, size_t n_values)
    : n_codes(n_values), pairs(given.size()) {
    for (size_t at = 0; at < given.size(); ++at) pairs[at] = std::llrint(given[at] * kUnit);
}

Dealt k_members_p(const std::vector<Contributions>& columns, const Tuples& tuples, int64_t k,
                  const std::vector<Bucket>& buckets, size_t threads, Meter& meter) {
    const ProfileTable table{columns, tuples};
    return deal_buckets(buckets, threads, meter, [&](const Bucket& bucket) {
        return KMembersP(table, bucket, k, meter).run();
    });
}
}  // namespace incrowd
