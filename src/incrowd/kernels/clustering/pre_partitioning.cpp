// Median-based pre-partitioning (Loukides and Shao 2008, Algorithm 2): subspaces of a kd-tree, cut
// at the median of the widest column while both halves are large and diverse enough.
//
// Halves are those of a stable sort by the column's codes: ties at the median are divided in the
// order of the tuples, and a tuple may be divided too.  Subspaces are numbered from left to right.
// Cost: tuples x depth.  Twin: tests/naive/tgc.py.
#include <algorithm>
#include <stdexcept>

#include "clustering/tuple_diversity.hpp"
#include "core/ties.hpp"

namespace incrowd {

namespace {

struct Limits {
    std::int64_t size;        // records that each half needs
    double sensitive;         // sum of the S-diversities, by importance, that each half may have
    std::int64_t protected_;  // a subspace with more records is cut whatever its halves' diversity
};

class Partitioning {
  public:
    Partitioning(const DiverseTuples& tuples, std::span<const double> widths, const Limits& limits)
        : tuples_(tuples), widths_(widths), limits_(limits), shape_(tuples.columns) {
        std::size_t most = 0;
        for (const ShapeColumn& column : tuples.columns)
            most = std::max(most, static_cast<std::size_t>(column.n_codes));
        by_code_.resize(most);
        for (const SensitiveValues& each : tuples.sensitive) most = std::max(most, each.n);
        by_value_.resize(most);
    }

    std::vector<Part> run(std::vector<Part>&& all) {
        std::vector<Part> found;
        std::vector<std::vector<Part>> uncut;
        uncut.push_back(std::move(all));
        std::int32_t subspaces = 0;
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
        std::int64_t records = 0;
        for (const Part& part : parts) records += part.records;
        if (records / 2 < limits_.size) return false;
        const std::size_t column = widest(parts);
        if (column == tuples_.columns.size()) return false;
        cut(parts, column, records / 2, left, right);
        if (records > limits_.protected_) return true;
        return sensitive(left) <= limits_.sensitive && sensitive(right) <= limits_.sensitive;
    }

    // The widest column, the first of several; none if all tuples are alike.
    std::size_t widest(std::span<const Part> parts) {
        std::size_t best = tuples_.columns.size();
        double most = 0.0;
        for (std::size_t j = 0; j < tuples_.columns.size(); ++j) {
            const std::int32_t* codes = tuples_.codes.data() + j * tuples_.n;
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
    std::pair<std::int32_t, std::int64_t> ranked(std::span<const Part> parts, std::size_t column,
                                                 std::int64_t rank) {
        const std::int32_t* codes = tuples_.codes.data() + column * tuples_.n;
        const auto n_codes = static_cast<std::size_t>(tuples_.columns[column].n_codes);
        sorted_.clear();
        if (n_codes <= parts.size()) {
            std::fill_n(by_code_.begin(), n_codes, 0);
            for (const Part& part : parts) by_code_[codes[part.tuple]] += part.records;
            for (std::size_t code = 0; code < n_codes; ++code)
                sorted_.emplace_back(static_cast<std::int32_t>(code), by_code_[code]);
        } else {
            for (const Part& part : parts) sorted_.emplace_back(codes[part.tuple], part.records);
            std::sort(sorted_.begin(), sorted_.end());
        }
        std::int64_t below = 0;
        std::size_t at = 0;
        while (below + sorted_[at].second <= rank) below += sorted_[at++].second;
        const std::int32_t code = sorted_[at].first;
        while (at > 0 && sorted_[at - 1].first == code) below -= sorted_[--at].second;
        return {code, below};
    }

    void cut(std::span<const Part> parts, std::size_t column, std::int64_t half,
             std::vector<Part>& left, std::vector<Part>& right) {
        const std::int32_t* codes = tuples_.codes.data() + column * tuples_.n;
        const auto [median, below] = ranked(parts, column, half);
        std::int64_t ties = half - below;  // records at the median that go left
        left.clear(), right.clear();
        for (const Part& part : parts) {
            const std::int32_t code = codes[part.tuple];
            std::int64_t into = code < median ? part.records : 0;
            if (code == median) ties -= into = std::min(ties, part.records);
            if (into > 0) left.push_back({part.tuple, 0, into});
            if (into < part.records) right.push_back({part.tuple, 0, part.records - into});
        }
    }

    double sensitive(std::span<const Part> parts) {
        double sum = 0.0;
        for (std::size_t s = 0; s < tuples_.sensitive.size(); ++s) {
            std::int64_t records = 0;
            present_.clear();
            for (const Part& part : parts) {
                const std::int32_t value = tuples_.value(s, part.tuple);
                if (by_value_[value] == 0) present_.push_back(value);
                by_value_[value] += part.records;
                records += part.records;
            }
            const double pairs = static_cast<double>(records) * static_cast<double>(records);
            sum += tuples_.sensitive[s].importance * (contributions(s) / pairs);
            for (const std::int32_t value : present_) by_value_[value] = 0;
        }
        return sum;
    }

    double contributions(std::size_t s) const {
        double sum = 0.0;
        for (const std::int32_t value : present_) {
            const double* contribution = tuples_.sensitive[s].of(value);
            double near = 0.0;
            for (const std::int32_t other : present_)
                near += static_cast<double>(by_value_[other]) * contribution[other];
            sum += static_cast<double>(by_value_[value]) * near;
        }
        return sum;
    }

    const DiverseTuples& tuples_;
    std::span<const double> widths_;
    Limits limits_;
    ClassShape shape_;
    std::vector<std::int64_t> by_code_, by_value_;
    std::vector<std::pair<std::int32_t, std::int64_t>> sorted_;
    std::vector<std::int32_t> present_;
};

}  // namespace

void bind_pre_partitioning(nb::module_& module) {
    module.def(
        "pre_partition",
        [](const DiverseTuples& tuples, In<std::int64_t, 1> records, In<double, 1> widths,
           std::int64_t size, double sensitive, std::int64_t protected_limit) {
            if (records.size() != tuples.n || widths.size() != tuples.columns.size() || size < 1)
                throw std::invalid_argument("pre_partition: the arguments do not fit together");
            std::vector<Part> all, found;
            for (std::size_t i = 0; i < tuples.n; ++i) {
                if (records.data()[i] < 0)
                    throw std::invalid_argument("pre_partition: a tuple has no record");
                if (records.data()[i] > 0)
                    all.push_back({static_cast<std::int32_t>(i), 0, records.data()[i]});
            }
            {
                nb::gil_scoped_release release;
                Partitioning partitioning(tuples, {widths.data(), widths.size()},
                                          {size, sensitive, protected_limit});
                found = partitioning.run(std::move(all));
            }
            return write_parts(found);
        },
        nb::arg("tuples"), nb::arg("records"), nb::arg("widths"), nb::arg("size"),
        nb::arg("sensitive"), nb::arg("protected_limit"));
}

}  // namespace incrowd
