// Divides records in two around a pair of far ones, and each side again, while both sides can have
// k records: Xu et al., "Utility-based anonymization using local recoding", KDD 2006.
//
// Works on distinct tuples with counts; a tuple is divided only where a side borrows some of its
// records.  Each side has a random generator of its own, seeded by its parent's, so that the
// classes are the same on any number of threads.  Cost: O(tuples x columns x depth of the
// divisions). Twin: tests/naive/top_down_greedy.py.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "clustering/top_down_division.hpp"
#include "core/arrays.hpp"
#include "core/task_queue.hpp"
#include "core/workers.hpp"

namespace incrowd {

namespace {

constexpr std::size_t kShared = 2'000;  // smaller sides stay with the thread that made them

// Threads that take a class each from one pile until none is left to be divided.
class Search {
  public:
    Search(const Division& division, Meter& meter) : division_(division), meter_(meter) {}

    std::vector<Shares> run(Whole all, std::size_t threads) {
        threads = std::max<std::size_t>(1, std::min(threads, 1 + all.items.size() / (2 * kShared)));
        shares_ = threads > 1;
        std::vector<Divider> dividers(threads, Divider(division_));
        std::vector<std::vector<Shares>> finished(threads);
        open_.add(std::move(all));
        open_.run(threads, [&](std::size_t worker, Whole& whole) {
            divide(std::move(whole), dividers[worker], finished[worker]);
        });
        std::vector<Shares> classes;
        for (std::vector<Shares>& each : finished)
            std::move(each.begin(), each.end(), std::back_inserter(classes));
        std::sort(classes.begin(), classes.end());
        return classes;
    }

  private:
    void divide(Whole first, Divider& divider, std::vector<Shares>& finished) {
        std::vector<Whole> own;
        own.push_back(std::move(first));
        while (!own.empty()) {
            Whole whole = std::move(own.back());
            own.pop_back();
            if (divider.divisible(whole)) {
                auto [one, other] = divider.divide(whole);
                hand_on(std::move(other), own);
                hand_on(std::move(one), own);
                meter_.advance(0);
            } else {
                finished.push_back(std::move(whole.items));
                meter_.advance(whole.records);
            }
        }
    }

    void hand_on(Whole whole, std::vector<Whole>& own) {
        if (shares_ && whole.items.size() >= kShared)
            open_.add(std::move(whole));
        else
            own.push_back(std::move(whole));
    }

    const Division& division_;
    Meter& meter_;
    bool shares_ = false;
    TaskQueue<Whole> open_;
};

Whole all_records(const In<std::int64_t, 1>& records, std::uint64_t seed) {
    Whole all{{}, 0, seed};
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (records.data()[i] < 1)
            throw std::invalid_argument("top_down_greedy: a tuple has no records");
        all.items.push_back({static_cast<std::int32_t>(i), records.data()[i]});
        all.records += records.data()[i];
    }
    return all;
}

std::vector<std::int32_t> row_by_row(const In<std::int32_t, 2>& codes) {
    const std::size_t d = codes.shape(0), n = codes.shape(1);
    std::vector<std::int32_t> rows(d * n);
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = 0; i < n; ++i) rows[i * d + j] = codes.data()[j * n + i];
    return rows;
}

}  // namespace

void bind_top_down_greedy(nb::module_& module) {
    module.def(
        "top_down_greedy",
        [](In<std::int32_t, 2> codes, In<std::int64_t, 1> records, nb::list columns, std::int64_t k,
           std::int64_t rounds, std::uint64_t seed, std::size_t threads, Meter::Report report) {
            Division division{shape_columns(columns), {}, k, rounds};
            if (codes.shape(1) != records.size() || records.size() == 0)
                throw std::invalid_argument("top_down_greedy: one count per tuple is needed");
            if (k < 1 || rounds < 1)
                throw std::invalid_argument("top_down_greedy: k and rounds must be 1 or more");
            check_codes(division.columns, {codes.data(), codes.size()}, records.size());
            std::vector<std::int32_t> tuple_of, class_of;
            std::vector<std::int64_t> counts;
            {
                nb::gil_scoped_release release;
                division.rows = row_by_row(codes);
                Whole all = all_records(records, seed);
                division.k = std::min(k, all.records);
                Meter meter(report);
                const auto classes = Search(division, meter).run(std::move(all), threads);
                for (std::size_t at = 0; at < classes.size(); ++at)
                    for (const Share& item : classes[at]) {
                        tuple_of.push_back(item.tuple);
                        class_of.push_back(static_cast<std::int32_t>(at));
                        counts.push_back(item.records);
                    }
            }
            return nb::make_tuple(to_numpy(std::move(tuple_of)), to_numpy(std::move(class_of)),
                                  to_numpy(std::move(counts)));
        },
        nb::arg("codes"), nb::arg("records"), nb::arg("columns"), nb::arg("k"), nb::arg("rounds"),
        nb::arg("seed"), nb::arg("threads"), nb::arg("report"));
}

}  // namespace incrowd
