// Cuts as bits: between neighbouring places of a row, or at the nodes of a tree.
// Twin: tests/naive/genetic.py.
#pragma once

#include <algorithm>
#include <vector>

#include "core/integers.hpp"
#include "core/random.hpp"
#include "subtree/cut_counting.hpp"

namespace incrowd {
// A column's genes and what its values cost.  A row has a gene between each two neighbouring
// places, which parts them; a tree has one per inner node, which releases all under it alike.
struct GeneColumn {
    bool is_row = false;
    std::vector<int32_t> low = {}, high = {};  // a tree's nodes [low, high), parents first
    std::vector<int32_t> parent = {};          // the gene of the next larger node, or -1
    std::vector<double> node_cost = {};
    std::vector<double> position =
        {};  // a row's places, in leaves, and the end; for the first `leaves`
    std::vector<double> alone = {};  // by place: its cost if it is released as it is
    int32_t leaves = 0;              // places before the missing and the unknown one
    double weight = 0.0;
    std::vector<uint8_t> may = {};  // by gene of a row: whether it may be set
    size_t first = 0;               // of its genes

    size_t genes() const { return is_row ? alone.size() - 1 : low.size(); }
};

using Genes = std::vector<uint8_t>;

class Chromosomes {
  public:
    void add(GeneColumn column) {
        column.first = genes_;
        genes_ += column.genes();
        columns_.push_back(std::move(column));
    }

    const std::vector<GeneColumn>& columns() const { return columns_; }
    size_t genes() const { return genes_; }

    // Every column as one value.
    Genes most_general() const {
        Genes genes(genes_, 0);
        for (const GeneColumn& column : columns_)
            if (!column.is_row)
                for (size_t at = 0; at < column.genes(); ++at)
                    genes[column.first + at] = column.parent[at] < 0;
        return genes;
    }

    // A random one; the smaller `density`, the fewer values are told apart.
    Genes drawn(double density, Random& random) const {
        Genes genes(genes_, 0);
        for (const GeneColumn& column : columns_) {
            const double likely = column.is_row ? density : 1 - density;
            for (size_t at = 0; at < column.genes(); ++at)
                genes[column.first + at] =
                    random.share() < likely && (!column.is_row || column.may[at]);
            repair(genes, column);
        }
        return genes;
    }

    // Whole columns of two parents, each from either of them.
    Genes crossed(const Genes& one, const Genes& other, Random& random) const {
        Genes genes = one;
        for (const GeneColumn& column : columns_)
            if (random.below(2))
                std::copy_n(other.begin() + column.first, column.genes(),
                            genes.begin() + column.first);
        return genes;
    }

    // Parts or joins two neighbours of a row; joins what is under a node, or parts it again into
    // the nodes below.
    void flip(Genes& genes, size_t gene) const {
        size_t at = 0;
        while (at + 1 < columns_.size() && columns_[at + 1].first <= gene) ++at;
        const GeneColumn& column = columns_[at];
        if (column.is_row) {
            genes[gene] ^= column.may[gene - column.first] != 0;
            return;
        }
        uint8_t* mine = genes.data() + column.first;
        auto node = static_cast<int32_t>(gene - column.first), set = node;
        while (set >= 0 && !mine[set]) set = column.parent[set];
        if (set < 0) {
            mine[node] = 1;
        } else {
            mine[set] = 0;
            for (size_t below = set + 1; below < column.genes(); ++below)
                if (column.parent[below] == set) mine[below] = 1;
        }
        repair(genes, column);
    }

    // What the genes say: the part of each place, and by column and place its cost.
    void express(const Genes& genes, Cuts& cuts, std::vector<std::vector<double>>& cost) const {
        for (size_t j = 0; j < columns_.size(); ++j) {
            const GeneColumn& column = columns_[j];
            const uint8_t* mine = genes.data() + column.first;
            if (column.is_row) express_row(mine, column, cuts.part[j], cost[j]);
            else express_tree(mine, column, cuts.part[j], cost[j]);
            cuts.parts[j] = *std::ranges::max_element(cuts.part[j]) + 1;
        }
    }

  private:
    // A node that is set takes the place of all below it.
    void repair(Genes& genes, const GeneColumn& column) const {
        if (column.is_row) return;
        uint8_t* mine = genes.data() + column.first;
        std::vector<uint8_t> covered(column.genes(), 0);
        for (size_t at = 0; at < column.genes(); ++at) {
            const int32_t up = column.parent[at];
            covered[at] = up >= 0 && (covered[up] || mine[up]);
            if (covered[at]) mine[at] = 0;
        }
    }

    void express_row(const uint8_t* genes, const GeneColumn& column, std::vector<int32_t>& part,
                     std::vector<double>& cost) const {
        const auto places = static_cast<int32_t>(part.size());
        for (int32_t from = 0, number = 0; from < places; ++number) {
            int32_t to = from + 1;
            while (to < places && !genes[to - 1]) ++to;
            const double each = column.weight * row_cost(column, from, to);
            for (; from < to; ++from) part[from] = number, cost[from] = each;
        }
    }

    void express_tree(const uint8_t* genes, const GeneColumn& column, std::vector<int32_t>& part,
                      std::vector<double>& cost) const {
        std::ranges::fill(part, -1);
        int32_t number = 0;
        for (size_t at = 0; at < column.genes(); ++at) {
            if (!genes[at]) continue;
            for (int32_t place = column.low[at]; place < column.high[at]; ++place)
                part[place] = number, cost[place] = column.weight * column.node_cost[at];
            ++number;
        }
        for (size_t place = 0; place < part.size(); ++place)
            if (part[place] < 0) {
                part[place] = number++;
                cost[place] = column.weight * column.alone[place];
            }
    }

    static double row_cost(const GeneColumn& column, int32_t from, int32_t to) {
        if (to - from == 1) return column.alone[from];
        const double all = column.position[column.leaves];
        if (all <= 1) return 0;
        if (to > column.leaves) return 1;  // missing or unknown with others: the root
        const double low = from == 0 ? 0 : column.position[from];
        return (column.position[to] - low - 1) / (all - 1);
    }

    std::vector<GeneColumn> columns_;
    size_t genes_ = 0;
};
}  // namespace incrowd
