// Python's view of K-Optimize and of the genetic search.
#include "core/binding.hpp"

#include "subtree/genetic.hpp"
#include "subtree/k_optimize.hpp"

namespace incrowd {
namespace {
nb::tuple bred(const AskedTable& cuts, const Chromosomes& genes, bool by_target,
               int64_t most_suppressed, int64_t population, int64_t evaluations, double crossover,
               double mutation, uint64_t seed, Meter::Report report) {
    if (most_suppressed < 0 || population < 2 || evaluations < 1)
        refuse("genetic", "a number is out of range");
    const auto fits = [](const GeneColumn& column, int32_t places) {
        return static_cast<int64_t>(column.alone.size()) == places;
    };
    if (!std::ranges::equal(genes.columns(), cuts.table.sizes, fits))
        refuse("genetic", "one description per column and place is needed");
    const GeneticOptions options{by_target, most_suppressed, population, evaluations,
                                 crossover, mutation,        seed};
    auto best = metered(report, [&](Meter& meter) {
        return genetic(cuts.table, cuts.asked, genes, options, meter);
    });
    return hand_over(best.genes, best.cost, best.evaluated);
}

nb::tuple optimized(const AskedTable& cuts, Ints item_of, Ints parent, bool by_target,
                    int64_t most_suppressed, int64_t work_limit, int64_t node_limit,
                    double time_limit, Meter::Report report) {
    if (most_suppressed < 0 || work_limit < 1 || node_limit < 1 || !(time_limit > 0))
        refuse("k_optimize", "a limit is out of range");
    std::vector<uint8_t> made;
    const KOptimized found = metered(report, [&](Meter& meter) {
        const SplitItems items(cuts.table, view(item_of), view(parent));
        made.assign(items.size(), 0);
        return k_optimize(cuts.table, cuts.asked, items, by_target,
                          {most_suppressed, work_limit, node_limit, time_limit}, meter);
    });
    for (const int32_t item : found.items) made[item] = 1;
    return hand_over(made, found.cost, found.bound, found.ended, found.nodes);
}
}  // namespace

void bind_subtree(nb::module_& module) {
    define(module, "genetic", &bred, "cuts", "genes", "by_target", "most_suppressed", "population",
           "evaluations", "crossover", "mutation", "seed", "report");
    define(module, "k_optimize", &optimized, "cuts", "item_of", "parent", "by_target",
           "most_suppressed", "work_limit", "node_limit", "time_limit", "report");
}
}  // namespace incrowd
