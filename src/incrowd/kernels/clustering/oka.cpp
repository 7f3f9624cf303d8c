// One-pass k-means: every record joins the nearest of n/k centres, which moves; then classes give
// away their farthest records until they have k, and too small ones take them first.
// Lin, Wei: "An efficient clustering method for k-anonymization", PAIS 2008.
// O(records x classes).  Twin: tests/naive/clustering.py.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "clustering/buckets.hpp"
#include "clustering/class_centres.hpp"
#include "core/ties.hpp"

namespace incrowd {

namespace {

struct Share {
    std::int32_t tuple;
    std::int64_t records;
};

class Oka {
  public:
    Oka(std::span<const ShapeColumn> columns, const std::int32_t* codes,
        std::span<const std::int64_t> records, std::int64_t k, std::span<const std::int64_t> seeds,
        Meter& meter)
        : n_(records.size()),
          k_(k),
          meter_(meter),
          waiting_(records.begin(), records.end()),
          centres_(columns, seeds.size()),
          sizes_(seeds.size(), 0),
          members_(seeds.size()) {
        codes_.resize(n_ * columns.size());
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < columns.size(); ++j)
                codes_[i * columns.size() + j] = codes[j * n_ + i];
        sow(records, seeds);
    }

    Dealt run() {
        deal(false);
        for (std::size_t at = 0; at < sizes_.size(); ++at)
            if (sizes_[at] > k_) give_away(at);
        for (const std::int64_t size : sizes_) short_ += size < k_;
        deal(true);
        Dealt dealt;
        for (std::size_t at = 0; at < members_.size(); ++at)
            for (const Share& share : members_[at])
                dealt.add(share.tuple, static_cast<std::int32_t>(at), share.records);
        dealt.n_classes = static_cast<std::int32_t>(members_.size());
        return dealt;
    }

  private:
    const std::int32_t* codes_of(std::size_t tuple) const {
        return codes_.data() + tuple * (codes_.size() / n_);
    }

    // Each seed, a record by its number in the order of the tuples, opens a class.
    void sow(std::span<const std::int64_t> records, std::span<const std::int64_t> seeds) {
        std::size_t tuple = 0;
        std::int64_t end = records[0];
        for (std::size_t at = 0; at < seeds.size(); ++at) {
            while (seeds[at] >= end) end += records[++tuple];
            centres_.look_at(codes_of(tuple));
            join(tuple, at);
            meter_.advance(1);  // looking at a record takes as long as the hierarchies are large
        }
    }

    void join(std::size_t tuple, std::size_t at) {
        auto& members = members_[at];
        if (!members.empty() && members.back().tuple == static_cast<std::int32_t>(tuple))
            ++members.back().records;
        else
            members.push_back({static_cast<std::int32_t>(tuple), 1});
        centres_.join(at);
        ++sizes_[at];
        --waiting_[tuple];
    }

    // All waiting records join the nearest class; if so asked, the nearest of the small ones first.
    void deal(bool small_first) {
        for (std::size_t tuple = 0; tuple < n_; ++tuple) {
            if (waiting_[tuple] == 0) continue;
            centres_.look_at(codes_of(tuple));
            const std::span<const double> distances = centres_.distances();
            while (waiting_[tuple] > 0) {
                const std::size_t at = nearest(distances, small_first && short_ > 0);
                join(tuple, at);
                short_ -= small_first && sizes_[at] == k_;
                meter_.advance(!small_first);
            }
        }
    }

    std::size_t nearest(std::span<const double> distances, bool only_small) const {
        std::size_t best_at = 0;
        double nearer = std::numeric_limits<double>::infinity();  // than the best, and no tie
        for (std::size_t at = 0; at < distances.size(); ++at)
            if (distances[at] < nearer && (!only_small || sizes_[at] < k_))
                nearer = distances[at] - kTie, best_at = at;
        return best_at;
    }

    // Distances are negative.  Equally far ones stand in the order of the tuples.
    static void farthest_first(std::vector<std::pair<double, Share>>& shares) {
        std::stable_sort(shares.begin(), shares.end(),
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
    void give_away(std::size_t at) {
        std::vector<std::pair<double, Share>> by_distance;
        for (const Share& share : members_[at]) {
            centres_.look_at(codes_of(static_cast<std::size_t>(share.tuple)));
            by_distance.emplace_back(-centres_.distance_to(at), share);
            meter_.advance(0);
        }
        farthest_first(by_distance);
        members_[at].clear();
        centres_.clear(at);
        for (auto& [distance, share] : by_distance) {
            const std::int64_t away = std::min(share.records, sizes_[at] - k_);
            waiting_[static_cast<std::size_t>(share.tuple)] += away;
            sizes_[at] -= away;
            share.records -= away;
            if (share.records == 0) continue;
            members_[at].push_back(share);
            centres_.look_at(codes_of(static_cast<std::size_t>(share.tuple)));
            for (std::int64_t copy = 0; copy < share.records; ++copy) centres_.join(at);
            meter_.advance(0);
        }
    }

    const std::size_t n_;
    const std::int64_t k_;
    Meter& meter_;
    std::vector<std::int64_t> waiting_;  // records by tuple
    ClassCentres centres_;
    std::vector<std::int64_t> sizes_;
    std::vector<std::vector<Share>> members_;
    std::vector<std::int32_t> codes_;  // tuple by tuple
    std::int64_t short_ = 0;           // classes with fewer than k records
};

void check_seeds(std::span<const std::int64_t> records, std::int64_t k,
                 std::span<const std::int64_t> seeds) {
    std::int64_t total = 0;
    for (const std::int64_t count : records) {
        if (count < 1) throw std::invalid_argument("oka: a tuple has no records");
        total += count;
    }
    if (k < 1 || seeds.empty() || static_cast<std::int64_t>(seeds.size()) > total / k)
        throw std::invalid_argument("oka: there must be one seed at least, and k records for each");
    for (std::size_t at = 0; at < seeds.size(); ++at)
        if (seeds[at] < 0 || seeds[at] >= total || (at > 0 && seeds[at] <= seeds[at - 1]))
            throw std::invalid_argument("oka: seeds are numbers of records, ascending");
}

}  // namespace

void bind_oka(nb::module_& module) {
    module.def(
        "oka",
        [](nb::list columns, In<std::int32_t, 2> codes, In<std::int64_t, 1> records, std::int64_t k,
           In<std::int64_t, 1> seeds, Meter::Report report) {
            const std::vector<ShapeColumn> shapes = shape_columns(columns);
            const std::span<const std::int64_t> counts{records.data(), records.size()};
            const std::span<const std::int64_t> chosen{seeds.data(), seeds.size()};
            if (shapes.empty() || codes.shape(1) != counts.size() ||
                counts.size() > std::numeric_limits<std::int32_t>::max())
                throw std::invalid_argument("oka: the arrays do not fit together");
            check_codes(shapes, {codes.data(), codes.size()}, counts.size());
            check_seeds(counts, k, chosen);
            Dealt dealt;
            {
                nb::gil_scoped_release release;
                Meter meter(report);
                dealt = Oka(shapes, codes.data(), counts, k, chosen, meter).run();
            }
            return to_python(std::move(dealt));
        },
        nb::arg("columns"), nb::arg("codes"), nb::arg("records"), nb::arg("k"), nb::arg("seeds"),
        nb::arg("report"));
}

}  // namespace incrowd
