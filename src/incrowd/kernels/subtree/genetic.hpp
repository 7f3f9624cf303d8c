// A steady-state genetic search over cuts (Iyengar, KDD 2002; GENITOR: Whitley, ICGA 1989).  One
// child at a time takes the place of the worst.  O(tuples) a child.  Twin: tests/naive/genetic.py.
#pragma once

#include "core/workers.hpp"
#include "subtree/asked_cuts.hpp"
#include "subtree/genetic_chromosomes.hpp"

namespace incrowd {
struct GeneticOptions {
    bool by_target;
    int64_t most_suppressed, population, evaluations;
    double crossover, mutation;
    uint64_t seed;
};

struct Individual {
    Genes genes;
    double cost;
    int64_t evaluated;  // how many chromosomes had been by then
};

Individual genetic(const CutTable& table, const AskedOfCuts& asked, const Chromosomes& chromosomes,
                   const GeneticOptions& options, Meter& meter);
}  // namespace incrowd
