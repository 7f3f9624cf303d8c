// Classes of k records around the far ends of a table: MDAV, "maximum distance to average vector",
// of Domingo-Ferrer and Torra, DMKD 11(2), 2005.
//
// While 3k records or more are left: r is the record farthest from the centroid, its class are the
// k - 1 records nearest to it; s is the one farthest from r of those left, with a class likewise.
// Works on distinct tuples with counts, and does what would be done record by record: of records at
// one distance the first tuple's go first.  Squared distances are added up column by column in the
// order of the columns, means over the codes in their order, so that classes are the same on every
// machine.  Cost: O(n^2 / k) look-ups per column.  Twin: tests/naive/mdav.py.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "clustering/class_shapes.hpp"
#include "core/arrays.hpp"
#include "core/workers.hpp"

namespace incrowd {

namespace {

constexpr std::size_t kBlock = 1024;  // tuples measured at once: their distances stay in the cache

struct Classes {
    std::vector<std::int32_t> tuple_of, class_of;
    std::vector<std::int64_t> records;
    std::int32_t n_classes = 0;
};

class Aggregation {
  public:
    Aggregation(std::span<const ShapeColumn> columns, std::vector<std::int32_t> codes,
                std::vector<std::int64_t> records, std::int64_t k, Meter& meter)
        : columns_(columns),
          stored_(records.size()),
          stride_(records.size()),
          codes_(std::move(codes)),
          left_(std::move(records)),
          tuple_(stored_),
          distance_(stored_),
          meter_(meter),
          shape_(columns) {
        std::iota(tuple_.begin(), tuple_.end(), 0);
        remaining_ = total_ = std::accumulate(left_.begin(), left_.end(), std::int64_t{0});
        k_ = std::min(k, total_);
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            const auto n_codes = static_cast<std::size_t>(columns_[j].n_codes);
            by_code_.emplace_back(n_codes);
            counts_.emplace_back(n_codes, 0);
            for (std::size_t i = 0; i < stored_; ++i) counts_[j][code(j, i)] += left_[i];
        }
    }

    Classes run() {
        while (remaining_ >= 3 * k_) {
            const std::size_t r = farthest_from_centroid();
            measure_from(r);
            gather_around(r);
            const std::size_t s = farthest();
            measure_from(s);
            gather_around(s);
            tidy_up();
        }
        if (remaining_ >= 2 * k_) {
            const std::size_t r = farthest_from_centroid();
            measure_from(r);
            gather_around(r);
        }
        for (std::size_t i = 0; i < stored_; ++i)
            if (left_[i] > 0) take(i, left_[i]);
        ++classes_.n_classes;
        return std::move(classes_);
    }

  private:
    std::int32_t code(std::size_t j, std::size_t i) const { return codes_[j * stride_ + i]; }

    std::size_t farthest_from_centroid() {
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            if (columns_[j].kind != ShapeColumn::kLine || !from_mean(j)) from_code(j, mode(j));
        }
        measure();
        return farthest();
    }

    void measure_from(std::size_t i) {
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            const std::int32_t own = code(j, i);
            if (columns_[j].kind == ShapeColumn::kLine && !std::isnan(columns_[j].place[own]))
                from_place(j, columns_[j].place[own]);
            else
                from_code(j, own);
        }
        measure();
    }

    // False if no number is left in the column.
    bool from_mean(std::size_t j) {
        double sum = 0.0;
        std::int64_t numbers = 0;
        for (std::size_t c = 0; c < counts_[j].size(); ++c) {
            if (counts_[j][c] == 0 || std::isnan(columns_[j].place[c])) continue;
            sum += static_cast<double>(counts_[j][c]) * columns_[j].place[c];
            numbers += counts_[j][c];
        }
        if (numbers > 0) from_place(j, sum / static_cast<double>(numbers));
        return numbers > 0;
    }

    std::int32_t mode(std::size_t j) const {
        return static_cast<std::int32_t>(std::max_element(counts_[j].begin(), counts_[j].end()) -
                                         counts_[j].begin());
    }

    void from_place(std::size_t j, double place) {
        const ShapeColumn& column = columns_[j];
        for (std::size_t c = 0; c < by_code_[j].size(); ++c) {
            const double apart = column.place[c] - place;
            by_code_[j][c] = std::isnan(apart) ? column.mixed : apart * apart;
        }
    }

    void from_code(std::size_t j, std::int32_t own) {
        if (columns_[j].kind == ShapeColumn::kLine) {
            std::fill(by_code_[j].begin(), by_code_[j].end(), columns_[j].mixed);
        } else {
            shape_.clear();
            shape_.join(j, own);
            shape_.costs_with(j, by_code_[j].data());
        }
        by_code_[j][own] = 0.0;
    }

    void measure() {
        for (std::size_t start = 0; start < stored_; start += kBlock) {
            const std::size_t size = std::min(kBlock, stored_ - start);
            double* distance = distance_.data() + start;
            std::fill_n(distance, size, 0.0);
            for (std::size_t j = 0; j < columns_.size(); ++j) {
                const std::int32_t* codes = codes_.data() + j * stride_ + start;
                const double* by_code = by_code_[j].data();
                for (std::size_t i = 0; i < size; ++i) distance[i] += by_code[codes[i]];
            }
        }
    }

    std::size_t farthest() const {
        std::size_t found = stored_;
        for (std::size_t i = 0; i < stored_; ++i)
            if (left_[i] > 0 && (found == stored_ || distance_[i] > distance_[found])) found = i;
        return found;
    }

    // Makes a class of one record of tuple i and the k - 1 records nearest to it.
    void gather_around(std::size_t i) {
        std::int64_t own = 1, wanted = k_ - 1;
        for (const auto& [distance, at] : nearest(k_)) {
            if (wanted == 0) break;
            const std::int64_t taken = std::min(left_[at] - (at == i), wanted);
            wanted -= taken;
            if (at == i)
                own += taken;
            else
                take(at, taken);
        }
        take(i, own);
        ++classes_.n_classes;
        meter_.advance(k_);
    }

    // So many tuples, the nearest first; of equal ones, in their order.
    std::vector<std::pair<double, std::size_t>> nearest(std::int64_t size) const {
        std::vector<std::pair<double, std::size_t>> found;  // a heap, the farthest on top
        for (std::size_t i = 0; i < stored_; ++i) {
            if (left_[i] == 0) continue;
            if (static_cast<std::int64_t>(found.size()) == size) {
                if (distance_[i] >= found.front().first) continue;
                std::pop_heap(found.begin(), found.end());
                found.pop_back();
            }
            found.emplace_back(distance_[i], i);
            std::push_heap(found.begin(), found.end());
        }
        std::sort_heap(found.begin(), found.end());
        return found;
    }

    void take(std::size_t i, std::int64_t records) {
        classes_.tuple_of.push_back(tuple_[i]);
        classes_.class_of.push_back(classes_.n_classes);
        classes_.records.push_back(records);
        left_[i] -= records;
        remaining_ -= records;
        used_up_ += left_[i] == 0;
        for (std::size_t j = 0; j < columns_.size(); ++j) counts_[j][code(j, i)] -= records;
    }

    // Closes the gaps that used up tuples leave, once they are an eighth of all.
    void tidy_up() {
        if (8 * used_up_ < stored_) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < stored_; ++i) {
            if (left_[i] == 0) continue;
            for (std::size_t j = 0; j < columns_.size(); ++j)
                codes_[j * stride_ + kept] = code(j, i);
            tuple_[kept] = tuple_[i];
            left_[kept++] = left_[i];
        }
        stored_ = kept;
        used_up_ = 0;
    }

    std::span<const ShapeColumn> columns_;
    std::size_t stored_, stride_, used_up_ = 0;
    std::vector<std::int32_t> codes_;  // (columns, tuples), the first `stored_` of each
    std::vector<std::int64_t> left_;   // records of each tuple in no class yet
    std::vector<std::int32_t> tuple_;
    std::vector<double> distance_;
    std::vector<std::vector<double>> by_code_;       // squared distances in a column
    std::vector<std::vector<std::int64_t>> counts_;  // records left by column and code
    std::int64_t k_ = 1, remaining_ = 0, total_ = 0;
    Meter& meter_;
    ClassShape shape_;
    Classes classes_;
};

void check(std::span<const ShapeColumn> columns, const In<std::int32_t, 2>& codes,
           const In<std::int64_t, 1>& records, std::int64_t k) {
    if (codes.shape(1) != records.size() || records.size() == 0)
        throw std::invalid_argument("mdav: one count per tuple is needed");
    if (k < 1) throw std::invalid_argument("mdav: k must be 1 or more");
    if (std::any_of(records.data(), records.data() + records.size(),
                    [](std::int64_t count) { return count < 1; }))
        throw std::invalid_argument("mdav: a tuple has no records");
    for (const ShapeColumn& column : columns)
        if (std::any_of(column.place.begin(), column.place.end(),
                        [](double place) { return std::isinf(place); }))
            throw std::invalid_argument("mdav: a number is infinite");
    check_codes(columns, {codes.data(), codes.size()}, records.size());
}

}  // namespace

void bind_mdav(nb::module_& module) {
    module.def(
        "mdav",
        [](In<std::int32_t, 2> codes, In<std::int64_t, 1> records, nb::list columns, std::int64_t k,
           Meter::Report report) {
            const auto shapes = shape_columns(columns);
            check(shapes, codes, records, k);
            Classes found;
            {
                nb::gil_scoped_release release;
                Meter meter(report);
                found = Aggregation(shapes, {codes.data(), codes.data() + codes.size()},
                                    {records.data(), records.data() + records.size()}, k, meter)
                            .run();
            }
            return nb::make_tuple(to_numpy(std::move(found.tuple_of)),
                                  to_numpy(std::move(found.class_of)),
                                  to_numpy(std::move(found.records)));
        },
        nb::arg("codes"), nb::arg("records"), nb::arg("columns"), nb::arg("k"), nb::arg("report"));
}

}  // namespace incrowd
