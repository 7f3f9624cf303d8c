#include "clustering/mdav.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace incrowd {
namespace {
constexpr size_t kBlock = 1024;       // tuples measured at once: their distances stay in the cache
constexpr size_t kColumnsAtOnce = 4;  // columns that are added at once

class Aggregation {
  public:
    Aggregation(std::span<const ShapeColumn> columns, const Tuples& tuples, int64_t k, Meter& meter)
        : columns_(columns), stored_(tuples.size()), stride_(tuples.size()),
          codes_(tuples.codes.begin(), tuples.codes.end()),
          left_(tuples.records.begin(), tuples.records.end()), tuple_(stored_), distance_(stored_),
          meter_(meter), shape_(columns) {
        std::iota(tuple_.begin(), tuple_.end(), 0);
        remaining_ = tuples.n_records();
        k_ = std::min(k, remaining_);
        for (size_t j = 0; j < columns_.size(); ++j) {
            const auto n_codes = static_cast<size_t>(columns_[j].n_codes);
            by_code_.emplace_back(n_codes);
            counts_.emplace_back(n_codes, 0);
            for (size_t i = 0; i < stored_; ++i) counts_[j][code(j, i)] += left_[i];
        }
    }

    Dealt run() {
        while (remaining_ >= 3 * k_) {
            const size_t r = farthest_from_centroid();
            measure_from(r);
            gather_around(r);
            const size_t s = farthest();
            measure_from(s);
            gather_around(s);
            tidy_up();
        }
        if (remaining_ >= 2 * k_) {
            const size_t r = farthest_from_centroid();
            measure_from(r);
            gather_around(r);
        }
        for (size_t i = 0; i < stored_; ++i)
            if (left_[i] > 0) take(i, left_[i]);
        ++classes_.n_classes;
        return std::move(classes_);
    }

  private:
    int32_t code(size_t j, size_t i) const { return codes_[j * stride_ + i]; }

    size_t farthest_from_centroid() {
        for (size_t j = 0; j < columns_.size(); ++j) {
            if (columns_[j].kind != ShapeColumn::kLine || !from_mean(j)) from_code(j, mode(j));
        }
        measure();
        return farthest();
    }

    void measure_from(size_t i) {
        for (size_t j = 0; j < columns_.size(); ++j) {
            const int32_t own = code(j, i);
            if (columns_[j].kind == ShapeColumn::kLine && !std::isnan(columns_[j].place[own]))
                from_place(j, columns_[j].place[own]);
            else from_code(j, own);
        }
        measure();
    }

    // False if no number is left in the column.
    bool from_mean(size_t j) {
        double sum = 0.0;
        int64_t numbers = 0;
        for (size_t c = 0; c < counts_[j].size(); ++c) {
            if (counts_[j][c] == 0 || std::isnan(columns_[j].place[c])) continue;
            sum += static_cast<double>(counts_[j][c]) * columns_[j].place[c];
            numbers += counts_[j][c];
        }
        if (numbers > 0) from_place(j, sum / static_cast<double>(numbers));
        return numbers > 0;
    }

    int32_t mode(size_t j) const {
        return static_cast<int32_t>(std::ranges::max_element(counts_[j]) - counts_[j].begin());
    }

    void from_place(size_t j, double place) {
        const ShapeColumn& column = columns_[j];
        for (size_t c = 0; c < by_code_[j].size(); ++c) {
            const double apart = column.place[c] - place;
            by_code_[j][c] = std::isnan(apart) ? column.mixed : apart * apart;
        }
    }

    void from_code(size_t j, int32_t own) {
        if (columns_[j].kind == ShapeColumn::kLine) {
            std::ranges::fill(by_code_[j], columns_[j].mixed);
        } else {
            shape_.clear();
            shape_.join(j, own);
            shape_.costs_with(j, by_code_[j].data());
        }
        by_code_[j][own] = 0.0;
    }

    void measure() {
        for (size_t start = 0; start < stored_; start += kBlock) {
            const size_t size = std::min(kBlock, stored_ - start);
            std::fill_n(distance_.data() + start, size, 0.0);
            size_t j = 0;
            for (; j + kColumnsAtOnce <= columns_.size(); j += kColumnsAtOnce)
                add<kColumnsAtOnce>(j, start, size);
            for (; j < columns_.size(); ++j) add<1>(j, start, size);
        }
    }

    // Adds what tuples are apart in the columns from j on, one after the other: the sum of several
    // stays in a register, and is rounded as if each were added by itself.
    template <size_t Columns>
    void add(size_t j, size_t start, size_t size) {
        std::array<const int32_t*, Columns> codes;
        std::array<const double*, Columns> by_code;
        for (size_t c = 0; c < Columns; ++c) {
            codes[c] = codes_.data() + (j + c) * stride_ + start;
            by_code[c] = by_code_[j + c].data();
        }
        double* distance = distance_.data() + start;
        for (size_t i = 0; i < size; ++i) {
            double sum = distance[i];
            for (size_t c = 0; c < Columns; ++c) sum += by_code[c][codes[c][i]];
            distance[i] = sum;
        }
    }

    size_t farthest() const {
        size_t found = stored_;
        for (size_t i = 0; i < stored_; ++i)
            if (left_[i] > 0 && (found == stored_ || distance_[i] > distance_[found])) found = i;
        return found;
    }

    // Makes a class of one record of tuple i and the k - 1 records nearest to it.
    void gather_around(size_t i) {
        int64_t own = 1, wanted = k_ - 1;
        for (const auto& [distance, at] : nearest(k_)) {
            if (wanted == 0) break;
            const int64_t taken = std::min(left_[at] - (at == i), wanted);
            wanted -= taken;
            if (at == i) own += taken;
            else take(at, taken);
        }
        take(i, own);
        ++classes_.n_classes;
        meter_.advance(k_);
    }

    // So many tuples, the nearest first; of equal ones, in their order.
    std::vector<std::pair<double, size_t>> nearest(int64_t size) const {
        std::vector<std::pair<double, size_t>> found;  // a heap, the farthest on top
        for (size_t i = 0; i < stored_; ++i) {
            if (left_[i] == 0) continue;
            if (static_cast<int64_t>(found.size()) == size) {
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

    void take(size_t i, int64_t records) {
        classes_.add(tuple_[i], classes_.n_classes, records);
        left_[i] -= records;
        remaining_ -= records;
        used_up_ += left_[i] == 0;
        for (size_t j = 0; j < columns_.size(); ++j) counts_[j][code(j, i)] -= records;
    }

    // Closes the gaps that used up tuples leave, once they are an eighth of all.
    void tidy_up() {
        if (8 * used_up_ < stored_) return;
        size_t kept = 0;
        for (size_t i = 0; i < stored_; ++i) {
            if (left_[i] == 0) continue;
            for (size_t j = 0; j < columns_.size(); ++j) codes_[j * stride_ + kept] = code(j, i);
            tuple_[kept] = tuple_[i];
            left_[kept++] = left_[i];
        }
        stored_ = kept;
        used_up_ = 0;
    }

    std::span<const ShapeColumn> columns_;
    size_t stored_, stride_, used_up_ = 0;
    std::vector<int32_t> codes_;  // (columns, tuples), the first `stored_` of each
    std::vector<int64_t> left_;   // records of each tuple in no class yet
    std::vector<int32_t> tuple_;
    std::vector<double> distance_;
    std::vector<std::vector<double>> by_code_;  // squared distances in a column
    std::vector<std::vector<int64_t>> counts_;  // records left by column and code
    int64_t k_ = 1, remaining_ = 0;
    Meter& meter_;
    ClassShape shape_;
    Dealt classes_;
};
}  // namespace

Dealt mdav(std::span<const ShapeColumn> columns, const Tuples& tuples, int64_t k, Meter& meter) {
    return Aggregation(columns, tuples, k, meter).run();
}
}  // namespace incrowd
