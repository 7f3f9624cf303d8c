// Threshold-based greedy clustering (Loukides and Shao 2008, Algorithm 1) of the records of each
// subspace: a class takes the record that leaves it least diverse, until that would be above the
// threshold.  Classes of fewer than k records are rejected.
//
// Tuples stand for their records; the result is that of the algorithm run record by record, with
// ties going to the first tuple.  Cost: records x distinct tuples of the subspace.  Subspaces are
// independent of each other, each with a generator of its own: the number of threads changes
// nothing. Twin: tests/naive/tgc.py.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "clustering/tuple_diversity.hpp"
#include "core/random.hpp"
#include "core/ties.hpp"
#include "core/workers.hpp"

namespace incrowd {

namespace {

constexpr std::int32_t kNone = -1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Rules {
    std::int64_t k;
    double threshold;
    bool random;  // whether a class starts at a random record, or at the first one left
    std::uint64_t seed;
};

// Clusters one subspace after the other; its buffers are reused.
class Clustering {
  public:
    Clustering(const DiverseTuples& tuples, const Rules& rules)
        : tuples_(tuples), rules_(rules), shape_(tuples.columns) {
        for (std::size_t j = 0; j < tuples.columns.size(); ++j)
            if (tuples.column_weight[j] > 0) columns_.push_back(j);
        for (std::size_t s = 0; s < tuples.sensitive.size(); ++s)
            if (tuples.sensitive[s].weight > 0)
                fields_.push_back(
                    {s, 0.0, {}, {}, {}, std::vector<std::int32_t>(tuples.sensitive[s].n, kNone)});
    }

    // Deals the records of a subspace to classes numbered from 0, rejected ones to -1; returns the
    // number of classes.  `alive` is told after each class how many records were dealt.
    template <typename Alive>
    std::int32_t run(std::span<const Part> parts, std::vector<Part>& dealt, const Alive& alive) {
        Random draw(Random(rules_.seed).next() ^ static_cast<std::uint64_t>(parts.front().of));
        load(parts);
        std::int32_t classes = 0;
        while (remaining_ > 0) {
            start(rules_.random ? drawn(draw.below(static_cast<std::uint64_t>(remaining_))) : 0);
            // Without sensitive values the rest of a tuple costs nothing once one record is in.
            for (std::size_t next = nearest(); next < size_; next = nearest())
                take(next, fields_.empty() ? left_[next] : 1);
            const bool accepted = class_size_ >= rules_.k;
            deal(accepted ? classes : -1, dealt);
            classes += accepted;
            alive(class_size_);
        }
        return classes;
    }

  private:
    // A sensitive column: the values of the subspace, numbered by first appearance.
    struct Field {
        std::size_t s;
        double contributions;              // over all ordered pairs of the class
        std::vector<std::int32_t> value;   // by number
        std::vector<double> near;          // by number: what it would contribute to the class
        std::vector<double> cost;          // by number: of the class, if it joined
        std::vector<std::int32_t> number;  // by value, kNone between subspaces
    };

    void load(std::span<const Part> parts) {
        room_ = size_ = parts.size();
        tuple_.resize(size_), left_.resize(size_), taken_.assign(size_, 0);
        codes_.resize(columns_.size() * size_), values_.resize(fields_.size() * size_);
        spread_.resize(size_);
        remaining_ = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            tuple_[i] = parts[i].tuple;
            left_[i] = parts[i].records;
            remaining_ += parts[i].records;
        }
        for (std::size_t c = 0; c < columns_.size(); ++c)
            for (std::size_t i = 0; i < size_; ++i)
                codes_[c * room_ + i] = tuples_.code(columns_[c], tuple_[i]);
        for (std::size_t f = 0; f < fields_.size(); ++f) number_values(fields_[f], f * room_);
    }

    void number_values(Field& field, std::size_t row) {
        field.value.clear();
        for (std::size_t i = 0; i < size_; ++i) {
            const std::int32_t value = tuples_.value(field.s, tuple_[i]);
            if (field.number[value] == kNone) {
                field.number[value] = static_cast<std::int32_t>(field.value.size());
                field.value.push_back(value);
            }
            values_[row + i] = field.number[value];
        }
        for (const std::int32_t value : field.value) field.number[value] = kNone;
        field.near.resize(field.value.size()), field.cost.resize(field.value.size());
    }

    std::size_t drawn(std::uint64_t record) const {
        auto rank = static_cast<std::int64_t>(record);
        std::size_t i = 0;
        while (rank >= left_[i]) rank -= left_[i++];
        return i;
    }

    void start(std::size_t seed) {
        shape_.clear();
        class_size_ = 0;
        for (Field& field : fields_) {
            field.contributions = 0.0;
            std::fill(field.near.begin(), field.near.end(), 0.0);
        }
        take(seed, 1);
    }

    // `records` is more than 1 only where there are no sensitive values.
    void take(std::size_t i, std::int64_t records) {
        left_[i] -= records, taken_[i] += records;
        class_size_ += records, remaining_ -= records;
        join_columns(i);
        if (left_[i] == 0) spread_[i] = kInfinity;
        for (std::size_t f = 0; f < fields_.size(); ++f) {
            Field& field = fields_[f];
            const std::int32_t joined = values_[f * room_ + i];
            const double* contribution = tuples_.sensitive[field.s].of(field.value[joined]);
            field.contributions += 2.0 * field.near[joined] + 1.0;
            for (std::size_t v = 0; v < field.near.size(); ++v)
                field.near[v] += contribution[field.value[v]];
        }
    }

    // Where no column costs more than before, no tuple does either.
    void join_columns(std::size_t i) {
        bool changed = shape_.empty();
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const double before = shape_.cost(columns_[c]);
            shape_.join(columns_[c], codes_[c * room_ + i]);
            changed = changed || shape_.cost(columns_[c]) != before;
        }
        if (changed || columns_.empty()) weigh_columns();
    }

    void weigh_columns() {
        for (std::size_t i = 0; i < size_; ++i) spread_[i] = left_[i] > 0 ? 0.0 : kInfinity;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const double weight = tuples_.column_weight[columns_[c]];
            const std::int32_t* codes = codes_.data() + c * room_;
            const auto n_codes = static_cast<std::size_t>(tuples_.columns[columns_[c]].n_codes);
            if (n_codes > 4 * size_) {
                for (std::size_t i = 0; i < size_; ++i)
                    spread_[i] += weight * shape_.cost_with(columns_[c], codes[i]);
                continue;
            }
            by_code_.resize(n_codes);
            shape_.costs_with(columns_[c], by_code_.data());
            for (std::size_t i = 0; i < size_; ++i) spread_[i] += weight * by_code_[codes[i]];
        }
    }

    // The first of the tuples that leave the class least diverse; `size_` if that is too diverse.
    std::size_t nearest() {
        weigh_values();
        double least = kInfinity;
        std::size_t best = size_;
        for (std::size_t i = 0; i < size_; ++i) {
            double diversity = spread_[i];
            for (std::size_t f = 0; f < fields_.size(); ++f)
                diversity += fields_[f].cost[values_[f * room_ + i]];
            if (diversity < least - kTie) least = diversity, best = i;
        }
        return least <= rules_.threshold + kTie ? best : size_;
    }

    void weigh_values() {
        const double pairs =
            static_cast<double>(class_size_ + 1) * static_cast<double>(class_size_ + 1);
        for (Field& field : fields_) {
            const double weight = tuples_.sensitive[field.s].weight;
            for (std::size_t v = 0; v < field.near.size(); ++v)
                field.cost[v] =
                    weight * ((field.contributions + 2.0 * field.near[v] + 1.0) / pairs);
        }
    }

    // Writes the class down, and forgets the tuples that have no record left.
    void deal(std::int32_t number, std::vector<Part>& dealt) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            if (taken_[i] > 0) dealt.push_back({tuple_[i], number, taken_[i]});
            taken_[i] = 0;
            if (left_[i] == 0) continue;
            tuple_[kept] = tuple_[i], left_[kept] = left_[i];
            for (std::size_t c = 0; c < columns_.size(); ++c)
                codes_[c * room_ + kept] = codes_[c * room_ + i];
            for (std::size_t f = 0; f < fields_.size(); ++f)
                values_[f * room_ + kept] = values_[f * room_ + i];
            ++kept;
        }
        size_ = kept;
    }

    const DiverseTuples& tuples_;
    const Rules& rules_;
    std::vector<std::size_t> columns_;  // those with a weight
    std::vector<Field> fields_;
    ClassShape shape_;
    std::size_t size_ = 0, room_ = 0;  // tuples with records left, and at the start
    std::vector<std::int32_t> tuple_, codes_, values_;
    std::vector<std::int64_t> left_, taken_;
    std::vector<double> spread_, by_code_;
    std::int64_t remaining_ = 0, class_size_ = 0;
};

constexpr std::size_t kAtOnce = 64;  // subspaces that share the buffers of one clustering

// All subspaces, on several threads.
class Subspaces {
  public:
    Subspaces(const DiverseTuples& tuples, const Rules& rules, std::span<const Part> parts)
        : tuples_(tuples), rules_(rules), parts_(parts) {
        for (std::size_t p = 0; p < parts.size(); ++p)
            if (p == 0 || parts[p].of != parts[p - 1].of) starts_.push_back(p);
        dealt_.resize(starts_.size()), classes_.resize(starts_.size());
        starts_.push_back(parts.size());
    }

    void run(std::size_t threads, Meter& meter) {
        const auto alive = [&](std::int64_t records) { meter.advance(records); };
        run_pieces((dealt_.size() + kAtOnce - 1) / kAtOnce, threads, meter, [&](std::size_t piece) {
            Clustering clustering(tuples_, rules_);
            const std::size_t end = std::min((piece + 1) * kAtOnce, dealt_.size());
            for (std::size_t at = piece * kAtOnce; at < end; ++at)
                classes_[at] = clustering.run(
                    parts_.subspan(starts_[at], starts_[at + 1] - starts_[at]), dealt_[at], alive);
        });
    }

    // Numbers the classes through, and returns how many there are.
    std::int32_t gather(std::vector<Part>& parts) const {
        std::int32_t first = 0;
        for (std::size_t at = 0; at < dealt_.size(); ++at) {
            for (Part part : dealt_[at]) {
                if (part.of >= 0) part.of += first;
                parts.push_back(part);
            }
            first += classes_[at];
        }
        return first;
    }

  private:
    const DiverseTuples& tuples_;
    const Rules& rules_;
    std::span<const Part> parts_;
    std::vector<std::size_t> starts_;
    std::vector<std::vector<Part>> dealt_;
    std::vector<std::int32_t> classes_;
};

}  // namespace

void bind_threshold_greedy(nb::module_& module) {
    module.def(
        "threshold_greedy",
        [](const DiverseTuples& tuples, In<std::int32_t, 1> tuple_of,
           In<std::int32_t, 1> subspace_of, In<std::int64_t, 1> records, std::int64_t k,
           double threshold, bool random, std::uint64_t seed, std::size_t threads,
           Meter::Report report) {
            const auto parts = read_parts(tuples, tuple_of, subspace_of, records,
                                          std::numeric_limits<std::int32_t>::max());
            for (std::size_t p = 0; p < parts.size(); ++p)
                if (parts[p].of < 0 || (p > 0 && parts[p].of < parts[p - 1].of))
                    throw std::invalid_argument("threshold_greedy: subspaces are out of order");
            if (k < 1) throw std::invalid_argument("threshold_greedy: k is below 1");
            const Rules rules{k, threshold, random, seed};
            std::vector<Part> dealt;
            std::int32_t classes = 0;
            {
                nb::gil_scoped_release release;
                Meter meter(report);
                Subspaces subspaces(tuples, rules, parts);
                subspaces.run(threads, meter);
                classes = subspaces.gather(dealt);
            }
            return nb::make_tuple(write_parts(dealt), classes);
        },
        nb::arg("tuples"), nb::arg("tuple_of"), nb::arg("subspace_of"), nb::arg("records"),
        nb::arg("k"), nb::arg("threshold"), nb::arg("random"), nb::arg("seed"), nb::arg("threads"),
        nb::arg("report"));
}

}  // namespace incrowd
