// Median-based pre-partitioning (Loukides and Shao 2008, Algorithm 2): subspaces of a kd-tree, cut
// at the median of the widest column while both halves are large and diverse enough.
//
// Halves are those of a stable sort by the column's codes: ties at the median are divided in the
// order of the tuples, and a tuple may be divided too.  Subspaces are numbered from left to right.
// Cost: tuples x depth.  Twin: tests/naive/tgc.py.
#include <algorithm>

#include "clustering/tgc.hpp"
#include "core/ties.hpp"

namespace incrowd {
namespace {
class Partitioning {
  public:
    Partitioning(const DiverseTuples& tuples, std::span<const double> widths,
                 const SubspaceLimits& limits)
        : tuples_(tuples), widths_(widths), limits_(limits), shape_(tuples.columns) {
        size_t most = 0;
        for (const ShapeColumn& column : tuples.columns)
            most = std::max(most, static_cast<size_t>(column.n_codes));
        by_code_.resize(most);
        for (const SensitiveValues& each : tuples.sensitive) most = std::max(most, each.n);
        by_value_.resize(most);
    }

    std::vector<Part> run(std::vector<Part>&& all) {
        std::vector<Part> found;
        std::vector<std::vector<Part>> uncut;
        uncut.push_back(std::move(all));
        int32_t subspaces = 0;
        std::vector<Part> left, right;
        while (!uncut.empty()) {
            std::vector<Part> parts = std::move(uncut.back());
            uncut.pop_back();
            if (halved(parts, left, right)) {
                uncut.push_back(std::move(right));
                uncut.push_back(std::move(left));
                continue;
            }
            for (Part part : parts) found.push_back({part.tuple, subspaces, part.records});
            ++subspaces;
        }
        return found;
    }

  private:
    bool halved(std::span<const Part> parts, std::vector<Part>& left, std::vector<Part>& right) {
        int64_t records = 0;
        for (const Part& part : parts) records += part.records;
        if (records / 2 < limits_.size) return false;
        const size_t column = widest(parts);
        if (column == tuples_.columns.size()) return false;
        cut(parts, column, records / 2, left, right);
        if (records > limits_.protected_) return true;
        return sensitive(left) <= limits_.sensitive && sensitive(right) <= limits_.sensitive;
    }

    // The widest column, the first of several; none if all tuples are alike.
    size_t widest(std::span<const Part> parts) {
        size_t best = tuples_.columns.size();
        double most = 0.0;
        for (size_t j = 0; j < tuples_.columns.size(); ++j) {
            const int32_t* codes = tuples_.codes.data() + j * tuples_.n;
            shape_.clear();
            bool differ = false;
            for (const Part& part : parts) {
                shape_.join(j, codes[part.tuple]);
                differ = differ || codes[part.tuple] != codes[parts.front().tuple];
            }
            const double width = widths_[j] * shape_.cost(j);
            const bool first = best == tuples_.columns.size();
            if (differ && width - most > (first ? 0.0 : kTie * std::max(most, 1.0)))
                most = width, best = j;
        }
        return best;
    }

    // The code that the record of this rank has, and how many records have a smaller one.
    std::pair<int32_t, int64_t> ranked(std::span<const Part> parts, size_t column, int64_t rank) {
        const int32_t* codes = tuples_.codes.data() + column * tuples_.n;
        const auto n_codes = static_cast<size_t>(tuples_.columns[column].n_codes);
        sorted_.clear();
        if (n_codes <= parts.size()) {
            std::fill_n(by_code_.begin(), n_codes, 0);
            for (const Part& part : parts) by_code_[codes[part.tuple]] += part.records;
            for (size_t code = 0; code < n_codes; ++code)
                sorted_.emplace_back(static_cast<int32_t>(code), by_code_[code]);
        } else {
            for (const Part& part : parts) sorted_.emplace_back(codes[part.tuple], part.records);
            std::ranges::sort(sorted_);
        }
        int64_t below = 0;
        size_t at = 0;
        while (below + sorted_[at].second <= rank) below += sorted_[at++].second;
        const int32_t code = sorted_[at].first;
        while (at > 0 && sorted_[at - 1].first == code) below -= sorted_[--at].second;
        return {code, below};
    }

    void cut(std::span<const Part> parts, size_t column, int64_t half, std::vector<Part>& left,
             std::vector<Part>& right) {
        const int32_t* codes = tuples_.codes.data() + column * tuples_.n;
        const auto [median, below] = ranked(parts, column, half);
        int64_t ties = half - below;  // records at the median that go left
        left.clear(), right.clear();
        for (const Part& part : parts) {
            const int32_t code = codes[part.tuple];
            int64_t into = code < median ? part.records : 0;
            if (code == median) ties -= into = std::min(ties, part.records);
            if (into > 0) left.push_back({part.tuple, 0, into});
            if (into < part.records) right.push_back({part.tuple, 0, part.records - into});
        }
    }

    double sensitive(std::span<const Part> parts) {
        double sum = 0.0;
        for (size_t s = 0; s < tuples_.sensitive.size(); ++s) {
            int64_t records = 0;
            present_.clear();
            for (const Part& part : parts) {
                const int32_t value = tuples_.value(s, part.tuple);
                if (by_value_[value] == 0) present_.push_back(value);
                by_value_[value] += part.records;
                records += part.records;
            }
            const double pairs = static_cast<double>(records) * static_cast<double>(records);
            sum += tuples_.sensitive[s].importance * (contributions(s) / pairs);
            for (const int32_t value : present_) by_value_[value] = 0;
        }
        return sum;
    }

    double contributions(size_t s) const {
        double sum = 0.0;
        for (const int32_t value : present_) {
            const double* contribution = tuples_.sensitive[s].of(value);
            double near = 0.0;
            for (const int32_t other : present_)
                near += static_cast<double>(by_value_[other]) * contribution[other];
            sum += static_cast<double>(by_value_[value]) * near;
        }
        return sum;
    }

    const DiverseTuples& tuples_;
    std::span<const double> widths_;
    SubspaceLimits limits_;
    ClassShape shape_;
    std::vector<int64_t> by_code_, by_value_;
    std::vector<std::pair<int32_t, int64_t>> sorted_;
    std::vector<int32_t> present_;
};
}  // namespace

std::vector<Part> tgc_subspaces(const DiverseTuples& tuples, std::vector<Part>&& all,
                                std::span<const double> widths, const SubspaceLimits& limits) {
    return Partitioning(tuples, widths, limits).run(std::move(all));
}
}  // namespace incrowd
