#include "clustering/tgc.hpp"

#include <algorithm>
#include <limits>

#include "core/random.hpp"
#include "core/ties.hpp"

namespace incrowd {
namespace {
constexpr int32_t kNoNumber = -1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Clusters one subspace after the other; its buffers are reused.
class Clustering {
  public:
    Clustering(const DiverseTuples& tuples, const TgcRules& rules)
        : tuples_(tuples), rules_(rules), shape_(tuples.columns) {
        for (size_t j = 0; j < tuples.columns.size(); ++j)
            if (tuples.column_weight[j] > 0) columns_.push_back(j);
        for (size_t s = 0; s < tuples.sensitive.size(); ++s)
            if (tuples.sensitive[s].weight > 0)
                fields_.push_back(
                    {s, 0.0, {}, {}, {}, std::vector<int32_t>(tuples.sensitive[s].n, kNoNumber)});
    }

    // Deals the records of a subspace to classes numbered from 0, rejected ones to -1; returns the
    // number of classes.  `alive` is told after each class how many records were dealt.
    template <typename Alive>
    int32_t run(std::span<const Part> parts, std::vector<Part>& dealt, const Alive& alive) {
        Random draw(Random(rules_.seed).next() ^ static_cast<uint64_t>(parts.front().of));
        load(parts);
        int32_t classes = 0;
        while (remaining_ > 0) {
            start(rules_.random ? drawn(draw.below(static_cast<uint64_t>(remaining_))) : 0);
            // Without sensitive values the rest of a tuple costs nothing once one record is in.
            for (size_t next = nearest(); next < size_; next = nearest())
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
        size_t s;
        double contributions;         // over all ordered pairs of the class
        std::vector<int32_t> value;   // by number
        std::vector<double> near;     // by number: what it would contribute to the class
        std::vector<double> cost;     // by number: of the class, if it joined
        std::vector<int32_t> number;  // by value, kNoNumber between subspaces
    };

    void load(std::span<const Part> parts) {
        room_ = size_ = parts.size();
        tuple_.resize(size_), left_.resize(size_), taken_.assign(size_, 0);
        codes_.resize(columns_.size() * size_), values_.resize(fields_.size() * size_);
        spread_.resize(size_);
        remaining_ = 0;
        for (size_t i = 0; i < size_; ++i) {
            tuple_[i] = parts[i].tuple;
            left_[i] = parts[i].records;
            remaining_ += parts[i].records;
        }
        for (size_t c = 0; c < columns_.size(); ++c)
            for (size_t i = 0; i < size_; ++i)
                codes_[c * room_ + i] = tuples_.code(columns_[c], tuple_[i]);
        for (size_t f = 0; f < fields_.size(); ++f) number_values(fields_[f], f * room_);
    }

    void number_values(Field& field, size_t row) {
        field.value.clear();
        for (size_t i = 0; i < size_; ++i) {
            const int32_t value = tuples_.value(field.s, tuple_[i]);
            if (field.number[value] == kNoNumber) {
                field.number[value] = static_cast<int32_t>(field.value.size());
                field.value.push_back(value);
            }
            values_[row + i] = field.number[value];
        }
        for (const int32_t value : field.value) field.number[value] = kNoNumber;
        field.near.resize(field.value.size()), field.cost.resize(field.value.size());
    }

    size_t drawn(uint64_t record) const {
        auto rank = static_cast<int64_t>(record);
        size_t i = 0;
        while (rank >= left_[i]) rank -= left_[i++];
        return i;
    }

    void start(size_t seed) {
        shape_.clear();
        class_size_ = 0;
        for (Field& field : fields_) {
            field.contributions = 0.0;
            std::ranges::fill(field.near, 0.0);
        }
        take(seed, 1);
    }

    // `records` is more than 1 only where there are no sensitive values.
    void take(size_t i, int64_t records) {
        left_[i] -= records, taken_[i] += records;
        class_size_ += records, remaining_ -= records;
        join_columns(i);
        if (left_[i] == 0) spread_[i] = kInfinity;
        for (size_t f = 0; f < fields_.size(); ++f) {
            Field& field = fields_[f];
            const int32_t joined = values_[f * room_ + i];
            const double* contribution = tuples_.sensitive[field.s].of(field.value[joined]);
            field.contributions += 2.0 * field.near[joined] + 1.0;
            for (size_t v = 0; v < field.near.size(); ++v)
                field.near[v] += contribution[field.value[v]];
        }
    }

    // Where no column costs more than before, no tuple does either.
    void join_columns(size_t i) {
        bool changed = shape_.empty();
        for (size_t c = 0; c < columns_.size(); ++c) {
            const double before = shape_.cost(columns_[c]);
            shape_.join(columns_[c], codes_[c * room_ + i]);
            changed = changed || shape_.cost(columns_[c]) != before;
        }
        if (changed || columns_.empty()) weigh_columns();
    }

    void weigh_columns() {
        for (size_t i = 0; i < size_; ++i) spread_[i] = left_[i] > 0 ? 0.0 : kInfinity;
        for (size_t c = 0; c < columns_.size(); ++c) {
            const double weight = tuples_.column_weight[columns_[c]];
            const int32_t* codes = codes_.data() + c * room_;
            const auto n_codes = static_cast<size_t>(tuples_.columns[columns_[c]].n_codes);
            if (n_codes > 4 * size_) {
                for (size_t i = 0; i < size_; ++i)
                    spread_[i] += weight * shape_.cost_with(columns_[c], codes[i]);
                continue;
            }
            by_code_.resize(n_codes);
            shape_.costs_with(columns_[c], by_code_.data());
            for (size_t i = 0; i < size_; ++i) spread_[i] += weight * by_code_[codes[i]];
        }
    }

    // Algorithm 1, the record to be added: the first of the tuples that leave the class least
    // diverse; `size_` if that is above the threshold.
    size_t nearest() {
        weigh_values();
        double least = kInfinity;
        size_t best = size_;
        for (size_t i = 0; i < size_; ++i) {
            double diversity = spread_[i];
            for (size_t f = 0; f < fields_.size(); ++f)
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
            for (size_t v = 0; v < field.near.size(); ++v)
                field.cost[v] =
                    weight * ((field.contributions + 2.0 * field.near[v] + 1.0) / pairs);
        }
    }

    // Writes the class down, and forgets the tuples that have no record left.
    void deal(int32_t number, std::vector<Part>& dealt) {
        size_t kept = 0;
        for (size_t i = 0; i < size_; ++i) {
            if (taken_[i] > 0) dealt.push_back({tuple_[i], number, taken_[i]});
            taken_[i] = 0;
            if (left_[i] == 0) continue;
            tuple_[kept] = tuple_[i], left_[kept] = left_[i];
            for (size_t c = 0; c < columns_.size(); ++c)
                codes_[c * room_ + kept] = codes_[c * room_ + i];
            for (size_t f = 0; f < fields_.size(); ++f)
                values_[f * room_ + kept] = values_[f * room_ + i];
            ++kept;
        }
        size_ = kept;
    }

    const DiverseTuples& tuples_;
    const TgcRules& rules_;
    std::vector<size_t> columns_;  // those with a weight
    std::vector<Field> fields_;
    ClassShape shape_;
    size_t size_ = 0, room_ = 0;  // tuples with records left, and at the start
    std::vector<int32_t> tuple_, codes_, values_;
    std::vector<int64_t> left_, taken_;
    std::vector<double> spread_, by_code_;
    int64_t remaining_ = 0, class_size_ = 0;
};

constexpr size_t kAtOnce = 64;  // subspaces that share the buffers of one clustering

// All subspaces, on several threads.
class Subspaces {
  public:
    Subspaces(const DiverseTuples& tuples, const TgcRules& rules, std::span<const Part> parts)
        : tuples_(tuples), rules_(rules), parts_(parts) {
        for (size_t p = 0; p < parts.size(); ++p)
            if (p == 0 || parts[p].of != parts[p - 1].of) starts_.push_back(p);
        dealt_.resize(starts_.size()), classes_.resize(starts_.size());
        starts_.push_back(parts.size());
    }

    void run(size_t threads, Meter& meter) {
        const auto alive = [&](int64_t records) { meter.advance(records); };
        run_pieces((dealt_.size() + kAtOnce - 1) / kAtOnce, threads, meter, [&](size_t piece) {
            Clustering clustering(tuples_, rules_);
            const size_t end = std::min((piece + 1) * kAtOnce, dealt_.size());
            for (size_t at = piece * kAtOnce; at < end; ++at)
                classes_[at] = clustering.run(
                    parts_.subspan(starts_[at], starts_[at + 1] - starts_[at]), dealt_[at], alive);
        });
    }

    // Numbers the classes through.
    Clustered gathered() const {
        Clustered all;
        for (size_t at = 0; at < dealt_.size(); ++at) {
            for (Part part : dealt_[at]) {
                if (part.of >= 0) part.of += all.n_classes;
                all.parts.push_back(part);
            }
            all.n_classes += classes_[at];
        }
        return all;
    }

  private:
    const DiverseTuples& tuples_;
    const TgcRules& rules_;
    std::span<const Part> parts_;
    std::vector<size_t> starts_;
    std::vector<std::vector<Part>> dealt_;
    std::vector<int32_t> classes_;
};
}  // namespace

Clustered tgc(const DiverseTuples& tuples, std::span<const Part> parts, const TgcRules& rules,
              size_t threads, Meter& meter) {
    Subspaces subspaces(tuples, rules, parts);
    subspaces.run(threads, meter);
    return subspaces.gathered();
}
}  // namespace incrowd
