#include "clustering/carve.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstdio>
#include <numeric>

#include "core/random.hpp"

namespace incrowd {
namespace {
using Bits = std::vector<uint64_t>;

// By column, level and node: the items under it.
class NodeMembers {
  public:
    NodeMembers(const std::vector<LatticeColumn>& levels, const EditableClasses& classes)
        : levels_(levels), classes_(classes), words_((classes.n_items() + 63) / 64) {
        for (const LatticeColumn& column : levels_) {
            starts_.emplace_back();
            for (const int64_t size : column.sizes) {
                starts_.back().push_back(members_.size());
                members_.resize(members_.size() + static_cast<size_t>(size));
            }
        }
    }
    size_t words() const { return words_; }

    const Bits& of(size_t j, uint8_t level, int32_t code) {
        const int32_t node = levels_[j].node[level][code];
        Bits& bits = members_[starts_[j][level] + static_cast<size_t>(node)];
        if (bits.empty()) fill(bits, j, level, node);
        return bits;
    }

  private:
    void fill(Bits& bits, size_t j, uint8_t level, int32_t node) {
        bits.assign(words_, 0);
        const std::vector<int32_t>& node_of = levels_[j].node[level];
        for (size_t i = 0; i < classes_.n_items(); ++i)
            if (node_of[classes_.codes(static_cast<int32_t>(i))[j]] == node)
                bits[i / 64] |= uint64_t{1} << (i % 64);
    }

    const std::vector<LatticeColumn>& levels_;
    const EditableClasses& classes_;
    size_t words_;
    std::vector<std::vector<size_t>> starts_;
    std::vector<Bits> members_;
};

double envd(const char* n, double d) { const char* v = getenv(n); return v ? atof(v) : d; }

class Carver {
  public:
    Carver(const std::vector<LatticeColumn>& levels, EditableClasses& classes, int64_t k,
           uint64_t seed, const StepJudge& judge)
        : levels_(levels), classes_(classes), k_(k), random_(seed), judge_(judge),
          members_(levels, classes), alt_(classes.n_items(), 0) {}

    void explore(uint64_t work, const std::function<void()>& tick) {
        const uint64_t begin = classes_.work();
        int64_t alive = 0;
        for (int32_t c = 0; c < classes_.n_classes(); ++c) alive += classes_.alive(c);
        if (alive == 0) return;
        const double heat = envd("HEAT", 0.05);
        scatter_ = envd("SCATTER", 0.3);
        most_evals_ = envd("EVALS", 60);
        const auto hottest = static_cast<double>(classes_.total() / alive) * heat;
        const int64_t before = classes_.total();
        int64_t kept = 0, tried = 0;
        for (uint64_t done = 0; done < work; done = classes_.work() - begin) {
            tick();
            tolerance_ = static_cast<int64_t>(hottest * (static_cast<double>(work - done) /
                                                         static_cast<double>(work)));
            classes_.spend(64);
            ++tried;
            kept += carve();
        }
        if (getenv("TALK"))
            printf("carve: tried %ld opened %ld kept %ld evals %ld: %ld -> %ld\n", (long)tried, (long)opened_, (long)kept,
                   (long)evals_, (long)before, (long)classes_.total());
    }

  private:
    bool settle() {
        const int64_t least =
            tolerance_ > 0 ? -static_cast<int64_t>(random_.below(static_cast<uint64_t>(tolerance_)))
                           : 1;
        if (classes_.gained() < least || (judge_ && !judge_(classes_.touched()))) {
            classes_.roll_back();
            return false;
        }
        make_room();
        for (const int32_t c : classes_.touched()) known_[c] = 0;
        classes_.commit();
        return true;
    }

    int32_t costly_item() {
        int32_t found = -1;
        for (int tasting = 0; tasting < 3; ++tasting) {
            const auto item = static_cast<int32_t>(random_.below(classes_.n_items()));
            if (found < 0 || classes_.unit_cost(classes_.class_of(item)) >
                                 classes_.unit_cost(classes_.class_of(found)))
                found = item;
        }
        return found;
    }

    int64_t cost_of(const Levels& shape, const int32_t* row) const {
        int64_t sum = 0;
        for (size_t j = 0; j < shape.size(); ++j) sum += levels_[j].excess[shape[j]][row[j]];
        return sum;
    }

    void select(const Levels& shape, const int32_t* row) {
        inside_ = members_.of(0, shape[0], row[0]);
        for (size_t j = 1; j < shape.size(); ++j) {
            if (shape[j] == levels_[j].height()) continue;
            const uint64_t* bits = members_.of(j, shape[j], row[j]).data();
            for (size_t w = 0; w < inside_.size(); ++w) inside_[w] &= bits[w];
        }
        classes_.spend(inside_.size() * shape.size() / 2);
    }

    // What a class of a shape is thought to gain; plans what it takes.
    int64_t gain(const Levels& shape, const int32_t* row) {
        ++evals_;
        select(shape, row);
        const int64_t cost = cost_of(shape, row);
        make_room();
        donors_.clear();
        int64_t seen = 0;
        for (size_t w = 0; w < inside_.size(); ++w)
            for (uint64_t word = inside_[w]; word; word &= word - 1) {
                const size_t item = w * 64 + static_cast<size_t>(std::countr_zero(word));
                const int32_t c = classes_.class_of(static_cast<int32_t>(item));
                if (taken_of_[c]++ == 0) donors_.push_back(c);
                alt_of_[c] += alt_[item];
                ++seen;
            }
        classes_.spend(static_cast<uint64_t>(seen) * 2);
        int64_t sum = 0, records = 0;
        plan_.clear();
        fill_.clear();
        for (const int32_t c : donors_) {
            const int64_t t = taken_of_[c], w = classes_.unit_cost(c) - cost;
            int64_t alt = alt_of_[c];
            taken_of_[c] = alt_of_[c] = 0;
            const int64_t rest = classes_.size(c) - t, spare = classes_.size(c) - k_;
            if (w <= 0) {
                if (spare > 0) fill_.push_back({-w, c, std::min(t, spare)});
                continue;
            }
            if (rest == 0 || rest >= k_) {
                sum += t * w, records += t;
                plan_.push_back({c, t, false});
                continue;
            }
            const int64_t capped = spare * w;
            int64_t dissolved = t * w;
            if (!classes_.has_fixed(c) && dissolved > capped) {
                if (!known_[c]) {
                    learn(c);
                    alt = 0;
                    for (const int32_t i : classes_.members(c))
                        if (inside_[i / 64] >> (i % 64) & 1) alt += alt_[i];
                }
                dissolved += rest * classes_.unit_cost(c) -
                             static_cast<int64_t>(scatter_ * static_cast<double>(sum_alt_[c] - alt));
            }
            if (classes_.has_fixed(c) || capped >= dissolved) {
                sum += capped, records += spare;
                plan_.push_back({c, spare, false});
            } else {
                sum += dissolved, records += t;
                plan_.push_back({c, t, true});
            }
        }
        if (records < k_) {
            std::ranges::sort(fill_);
            for (const Fill& each : fill_) {
                if (records >= k_) break;
                const int64_t take = std::min(each.records, k_ - records);
                records += take;
                sum -= take * each.loss;
                plan_.push_back({each.c, take, false});
            }
        }
        return records >= k_ ? sum : -(k_ - records) * (int64_t{1} << 32);
    }

    void make_room() {
        const auto n = static_cast<size_t>(classes_.n_classes());
        if (taken_of_.size() >= n) return;
        taken_of_.resize(n, 0);
        alt_of_.resize(n, 0);
        known_.resize(n, 0);
        sum_alt_.resize(n, 0);
    }

    void learn(int32_t c) {
        sum_alt_[c] = 0;
        for (const int32_t item : classes_.members(c)) {
            const auto& costs = classes_.costs_with(item);
            int64_t best = std::numeric_limits<int64_t>::max();
            for (size_t o = 0; o < costs.size(); ++o) {
                if (costs[o] == kDead || static_cast<int32_t>(o) == c) continue;
                const int64_t added = costs[o] + classes_.size(static_cast<int32_t>(o)) * (costs[o] - classes_.unit_cost(static_cast<int32_t>(o)));
                best = std::min(best, added);
            }
            alt_[item] = best;
            sum_alt_[c] += best;
        }
        known_[c] = 1;
    }

    bool carve() {
        const int32_t seed = costly_item();
        const int32_t own = classes_.class_of(seed);
        if (classes_.unit_cost(own) == 0) return false;
        const int32_t* row = classes_.codes(seed);
        const size_t d = levels_.size();
        Levels shape(d);
        for (size_t j = 0; j < d; ++j) {
            const int32_t now = classes_.unit_cost(own, j);
            uint8_t level = 0;
            while (level < levels_[j].height() && levels_[j].excess[level][row[j]] < now) ++level;
            shape[j] = level;
        }
        // Lower some columns.
        const size_t some = 1 + random_.below(2);
        for (size_t s = 0; s < some; ++s) {
            const size_t j = random_.below(d);
            if (shape[j] > 0) shape[j] = static_cast<uint8_t>(random_.below(shape[j]));
        }
        int64_t best = gain(shape, row);
        climb(shape, row, best);
        if (best <= -tolerance_ * 2) return false;
        return open(shape, row);
    }

    void climb(Levels& shape, const int32_t* row, int64_t& best) {
        const size_t d = levels_.size();
        order_.resize(2 * d);
        std::iota(order_.begin(), order_.end(), size_t{0});
        size_t failures = 0, at = 0;
        for (int evals = 0; evals < most_evals_ && failures < 2 * d; ++evals) {
            if (at == 0)
                for (size_t i = order_.size(); i-- > 1;)
                    std::swap(order_[i], order_[random_.below(i + 1)]);
            const size_t j = order_[at] / 2;
            const bool up = order_[at] % 2;
            at = (at + 1) % order_.size();
            ++failures;
            if (up ? shape[j] == levels_[j].height() : shape[j] == 0) { --evals; continue; }
            shape[j] += up ? 1 : -1;
            const int64_t now = gain(shape, row);
            if (now > best) best = now, failures = 0;
            else shape[j] -= up ? 1 : -1;
        }
    }

    bool open(const Levels& shape, const int32_t* row) {
        ++opened_;
        gain(shape, row);
        classes_.begin();
        const int32_t born = classes_.open_class();
        leftover_.clear();
        for (const Take& each : plan_) {
            picked_.clear();
            for (const int32_t item : classes_.members(each.c))
                if (inside_[item / 64] >> (item % 64) & 1) picked_.push_back(item);
            picked_.resize(static_cast<size_t>(each.records));
            for (const int32_t item : picked_) {
                classes_.take(item);
                classes_.put(item, born);
            }
            if (each.dissolve) classes_.take_all(each.c, leftover_);
            else if (each.records > 0) classes_.refresh(each.c);
        }
        if (classes_.size(born) < k_) {
            classes_.roll_back();
            return false;
        }
        for (const int32_t item : leftover_) {
            const EditableClasses::Best best = classes_.best_class(item);
            classes_.put(item, best.to);
        }
        return settle();
    }

    struct Take {
        int32_t c;
        int64_t records;
        bool dissolve;
    };
    struct Fill {
        int64_t loss;
        int32_t c;
        int64_t records;
        auto operator<=>(const Fill&) const = default;
    };
    std::vector<Take> plan_;
    std::vector<Fill> fill_;
    const std::vector<LatticeColumn>& levels_;
    EditableClasses& classes_;
    int64_t k_;
    Random random_;
    const StepJudge& judge_;
    NodeMembers members_;
    Bits inside_;
    int64_t tolerance_ = 0;
    double scatter_ = 0.3;
    int most_evals_ = 60;
    int64_t evals_ = 0, opened_ = 0;
    std::vector<int64_t> alt_, taken_of_, alt_of_, sum_alt_;
    std::vector<uint8_t> known_;
    std::vector<int32_t> donors_, leftover_;
    std::vector<size_t> order_;
    std::vector<int32_t> picked_;
};
}  // namespace

void carve(const FixedTable& table, const std::vector<LatticeColumn>& levels,
           std::vector<ClassBucket>& buckets, uint64_t work, const ClassRules& rules,
           size_t threads, Meter& meter) {
    improve_buckets(table, buckets, rules, threads, meter,
                    [&](EditableClasses& classes, uint64_t seed, const StepJudge& judge,
                        const std::function<void()>& tick) {
                        Carver(levels, classes, table.k, seed, judge)
                            .explore(work * classes.n_items(), tick);
                    });
}
}  // namespace incrowd
