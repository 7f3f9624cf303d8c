#include "subtree/genetic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace incrowd {
namespace {
constexpr double kBias = 1.5;  // the best is drawn so much more often than the median

// What a chromosome costs: at most 1, or more than 1 if it suppresses too many records.
class Evaluation {
  public:
    Evaluation(const CutTable& table, const AskedOfCuts& asked, const Chromosomes& chromosomes,
               const GeneticOptions& options)
        : table_(table), chromosomes_(chromosomes), options_(options), small_(table), cuts_(table),
          everyone_(table.tuples), class_of_(table.demands.size()), classes_(table.demands.size()) {
        std::iota(everyone_.begin(), everyone_.end(), 0);
        for (const Demand& demand : table.demands) counters_.emplace_back(table, demand.columns);
        for (int32_t size : table.sizes) cost_.emplace_back(size, 0);
        if (asked.requirements != nullptr) asked_.emplace(table, asked);
    }

    double operator()(const Genes& genes) {
        chromosomes_.express(genes, cuts_, cost_);
        count();
        const int64_t fell = suppress();
        const auto n = static_cast<double>(table_.n_records);
        const double cost = (options_.by_target ? mistaken() : lost()) + static_cast<double>(fell);
        const int64_t beyond = fell - options_.most_suppressed;
        return cost / n + (beyond > 0 ? 1 + static_cast<double>(beyond) / n : 0);
    }

  private:
    // Marks the classes over all columns that fall; returns how many records do.
    int64_t suppress() {
        if (!asked_) return small_.run(size_, class_of_, classes_, fallen_);
        const int64_t fell = asked_->run(cuts_, table_.n_records, fallen_tuples_);
        fallen_.resize(first_.size());
        for (size_t q = 0; q < first_.size(); ++q) fallen_[q] = fallen_tuples_[first_[q]];
        return fell;
    }

    // Classes over all columns; those of the other demands are made of them.
    void count() {
        classes_[0] = counters_[0].number(cuts_, everyone_, of_tuple_);
        size_.assign(classes_[0], 0);
        first_.resize(classes_[0]);
        for (size_t i = table_.tuples; i-- > 0;) {
            size_[of_tuple_[i]] += table_.records[i];
            first_[of_tuple_[i]] = static_cast<int32_t>(i);
        }
        class_of_[0].resize(classes_[0]);
        std::iota(class_of_[0].begin(), class_of_[0].end(), 0);
        for (size_t r = 1; r < counters_.size(); ++r)
            classes_[r] = counters_[r].number(cuts_, first_, class_of_[r]);
    }

    // The loss of all records that are kept.
    double lost() const {
        double lost = 0;
        for (size_t q = 0; q < size_.size(); ++q) {
            if (fallen_[q]) continue;
            double own = 0;
            for (size_t j = 0; j < cost_.size(); ++j) own += cost_[j][table_.column(j)[first_[q]]];
            lost += own * static_cast<double>(size_[q]);
        }
        return lost;
    }

    // The kept records that are not of their class's most frequent target.
    double mistaken() {
        keys_.resize(table_.tuples);
        cell_of_.resize(table_.tuples);
        for (size_t i = 0; i < table_.tuples; ++i)
            keys_[i] = static_cast<uint64_t>(of_tuple_[i]) * table_.targets + table_.target[i];
        const auto space = static_cast<uint64_t>(classes_[0]) * table_.targets;
        cell_.assign(numbering_.number(keys_.data(), keys_.size(), space, cell_of_.data()), 0);
        most_.assign(classes_[0], 0);
        for (size_t i = 0; i < table_.tuples; ++i) {
            int64_t& most = most_[of_tuple_[i]];
            most = std::max(most, cell_[cell_of_[i]] += table_.records[i]);
        }
        int64_t mistaken = 0;
        for (size_t q = 0; q < size_.size(); ++q)
            if (!fallen_[q]) mistaken += size_[q] - most_[q];
        return static_cast<double>(mistaken);
    }

    const CutTable& table_;
    const Chromosomes& chromosomes_;
    const GeneticOptions& options_;
    SmallClasses small_;
    std::optional<AskedCuts> asked_;  // where sizes are not all
    Cuts cuts_;
    std::vector<CutCounter> counters_;  // by demand
    KeyNumbering numbering_;
    std::vector<std::vector<double>> cost_;  // by column and place
    std::vector<int32_t> everyone_, of_tuple_, cell_of_;
    std::vector<int64_t> size_, most_, cell_;     // by class, and by class and target
    std::vector<int32_t> first_;                  // by class: its first tuple
    std::vector<std::vector<int32_t>> class_of_;  // by demand and class
    std::vector<int32_t> classes_;
    std::vector<uint8_t> fallen_, fallen_tuples_;  // by class, by tuple
    std::vector<uint64_t> keys_;
};

class Evolution {
  public:
    Evolution(const CutTable& table, const AskedOfCuts& asked, const Chromosomes& chromosomes,
              const GeneticOptions& options, Meter& meter)
        : chromosomes_(chromosomes), options_(options),
          cost_of_(table, asked, chromosomes, options), random_(options.seed), meter_(meter) {}

    Individual run() {
        add(chromosomes_.most_general());
        while (chromosomes_.genes() && evaluated_ < options_.evaluations)
            add(evaluated_ < options_.population ? founder() : child());
        return {people_.front().genes, people_.front().cost, evaluated_};
    }

  private:
    Genes founder() {
        const auto halvings = static_cast<int>(1 + random_.below(6));
        return chromosomes_.drawn(std::ldexp(1.0, -halvings), random_);
    }

    Genes child() {
        const Genes& mother = people_[ranked()].genes;
        const Genes& father = people_[ranked()].genes;
        const bool crossed = random_.share() < options_.crossover;
        Genes genes = crossed ? chromosomes_.crossed(mother, father, random_) : mother;
        if (genes == mother || random_.share() < options_.mutation) {
            do chromosomes_.flip(genes, random_.below(chromosomes_.genes()));
            while (random_.below(2));
        }
        return genes;
    }

    // A rank from a linearly falling distribution.
    size_t ranked() {
        const double root = std::sqrt(kBias * kBias - 4 * (kBias - 1) * random_.share());
        const double share = (kBias - root) / 2 / (kBias - 1);
        const auto rank = static_cast<size_t>(share * static_cast<double>(people_.size()));
        return std::min(rank, people_.size() - 1);
    }

    // Puts a chromosome in its place, unless it is there already or worse than all.
    void add(Genes genes) {
        const double cost = cost_of_(genes);
        ++evaluated_;
        meter_.advance(1);
        const auto worse = [](const Individual& one, double than) { return one.cost < than; };
        auto place = std::lower_bound(people_.begin(), people_.end(), cost, worse);
        for (; place != people_.end() && place->cost == cost; ++place)
            if (place->genes == genes) return;
        people_.insert(place, {std::move(genes), cost, evaluated_});
        if (static_cast<int64_t>(people_.size()) > options_.population) people_.pop_back();
    }

    const Chromosomes& chromosomes_;
    const GeneticOptions& options_;
    Evaluation cost_of_;
    Random random_;
    Meter& meter_;
    std::vector<Individual> people_;  // the best first
    int64_t evaluated_ = 0;
};
}  // namespace

Individual genetic(const CutTable& table, const AskedOfCuts& asked, const Chromosomes& chromosomes,
                   const GeneticOptions& options, Meter& meter) {
    return Evolution(table, asked, chromosomes, options, meter).run();
}
}  // namespace incrowd
