#include "clustering/oka.hpp"

#include <algorithm>
#include <limits>

#include "clustering/oka_centres.hpp"
#include "core/ties.hpp"

namespace incrowd {
namespace {
class Oka {
  public:
    Oka(std::span<const ShapeColumn> columns, const Tuples& tuples, int64_t k,
        std::span<const int64_t> seeds, Meter& meter)
        : n_(tuples.size()), k_(k), meter_(meter),
          waiting_(tuples.records.begin(), tuples.records.end()), centres_(columns, seeds.size()),
          sizes_(seeds.size(), 0), members_(seeds.size()),
          codes_(rows_of(tuples.codes, columns.size())) {
        sow(tuples.records, seeds);
    }

    Dealt run() {
        deal(false);
        for (size_t at = 0; at < sizes_.size(); ++at)
            if (sizes_[at] > k_) give_away(at);
        for (const int64_t size : sizes_) short_ += size < k_;
        deal(true);
        Dealt dealt;
        for (size_t at = 0; at < members_.size(); ++at)
            for (const Share& share : members_[at])
                dealt.add(share.tuple, static_cast<int32_t>(at), share.records);
        dealt.n_classes = static_cast<int32_t>(members_.size());
        return dealt;
    }

  private:
    const int32_t* codes_of(size_t tuple) const {
        return codes_.data() + tuple * (codes_.size() / n_);
    }

    // Each seed, a record by its number in the order of the tuples, opens a class.
    void sow(std::span<const int64_t> records, std::span<const int64_t> seeds) {
        size_t tuple = 0;
        int64_t end = records[0];
        for (size_t at = 0; at < seeds.size(); ++at) {
            while (seeds[at] >= end) end += records[++tuple];
            centres_.look_at(codes_of(tuple));
            join(tuple, at);
            meter_.advance(1);  // looking at a record takes as long as the hierarchies are large
        }
    }

    void join(size_t tuple, size_t at) {
        auto& members = members_[at];
        if (!members.empty() && members.back().tuple == static_cast<int32_t>(tuple))
            ++members.back().records;
        else members.push_back({static_cast<int32_t>(tuple), 1});
        centres_.join(at);
        ++sizes_[at];
        --waiting_[tuple];
    }

    // All waiting records join the nearest class; if so asked, the nearest of the small ones first.
    void deal(bool small_first) {
        for (size_t tuple = 0; tuple < n_; ++tuple) {
            if (waiting_[tuple] == 0) continue;
            centres_.look_at(codes_of(tuple));
            const std::span<const double> distances = centres_.distances();
            while (waiting_[tuple] > 0) {
                const size_t at = nearest(distances, small_first && short_ > 0);
                join(tuple, at);
                short_ -= small_first && sizes_[at] == k_;
                meter_.advance(!small_first);
            }
        }
    }

    size_t nearest(std::span<const double> distances, bool only_small) const {
        size_t best_at = 0;
        double nearer = std::numeric_limits<double>::infinity();  // than the best, and no tie
        for (size_t at = 0; at < distances.size(); ++at)
            if (distances[at] < nearer && (!only_small || sizes_[at] < k_))
                nearer = distances[at] - kTie, best_at = at;
        return best_at;
    }

    // Distances are negative.  Equally far ones stand in the order of the tuples.
    static void farthest_first(std::vector<std::pair<double, Share>>& shares) {
        std::ranges::stable_sort(shares,
                                 [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto by_tuple = [](const auto& a, const auto& b) {
            return a.second.tuple < b.second.tuple;
        };
        for (auto first = shares.begin(); first != shares.end();) {
            auto last = first + 1;
            while (last != shares.end() && last->first - first->first <= kTie) ++last;
            std::stable_sort(first, last, by_tuple);
            first = last;
        }
    }

    // The records farthest from the centre go back to the waiting ones; then the centre follows.
    void give_away(size_t at) {
        std::vector<std::pair<double, Share>> by_distance;
        for (const Share& share : members_[at]) {
            centres_.look_at(codes_of(static_cast<size_t>(share.tuple)));
            by_distance.emplace_back(-centres_.distance_to(at), share);
            meter_.advance(0);
        }
        farthest_first(by_distance);
        members_[at].clear();
        centres_.clear(at);
        for (auto& [distance, share] : by_distance) {
            const int64_t away = std::min(share.records, sizes_[at] - k_);
            waiting_[share.tuple] += away;
            sizes_[at] -= away;
            share.records -= away;
            if (share.records == 0) continue;
            members_[at].push_back(share);
            centres_.look_at(codes_of(static_cast<size_t>(share.tuple)));
            for (int64_t copy = 0; copy < share.records; ++copy) centres_.join(at);
            meter_.advance(0);
        }
    }

    const size_t n_;
    const int64_t k_;
    Meter& meter_;
    std::vector<int64_t> waiting_;  // records by tuple
    ClassCentres centres_;
    std::vector<int64_t> sizes_;
    std::vector<Shares> members_;
    std::vector<int32_t> codes_;  // tuple by tuple
    int64_t short_ = 0;           // classes with fewer than k records
};
}  // namespace

Dealt oka(std::span<const ShapeColumn> columns, const Tuples& tuples, int64_t k,
          std::span<const int64_t> seeds, Meter& meter) {
    return Oka(columns, tuples, k, seeds, meter).run();
}
}  // namespace incrowd
