// Cuts as bits: between neighbouring places of a row, or at the nodes of a tree.
// Twin: tests/naive/genetic.py.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "subtree/cut_counting.hpp"

namespace incrowd {

// A column's genes and what its values cost.  A row has a gene between each two neighbouring
// places, which parts them; a tree has one per inner node, which releases all under it alike.
struct GeneColumn {
    bool is_row;
    std::vector<std::int32_t> low, high;  // a tree's nodes [low, high), parents first
    std::vector<std::int32_t> parent;     // the gene of the next larger node, or -1
    std::vector<double> node_cost;
    std::vector<double> position;  // a row's places, in leaves, and the end; for the first `leaves`
    std::vector<double> alone;     // by place: its cost if it is released as it is
    std::int32_t leaves;           // places before the missing and the unknown one
    double weight;
    std::vector<std::uint8_t> may;  // by gene of a row: whether it may be set
    std::size_t first = 0;          // of its genes

    std::size_t genes() const { return is_row ? alone.size() - 1 : low.size(); }
};

std::vector<GeneColumn> gene_columns(nb::list columns, const CutTable& table);

using Genes = std::vector<std::uint8_t>;

class Chromosomes {
  public:
    explicit Chromosomes(std::vector<GeneColumn> columns);

    std::size_t genes() const { return genes_; }
    // Every column as one value.
    Genes most_general() const;
    // A random one; the smaller `density`, the fewer values are told apart.
    Genes drawn(double density, Random& random) const;
    // Whole columns of two parents, each from either of them.
    Genes crossed(const Genes& one, const Genes& other, Random& random) const;
    // Parts or joins two neighbours of a row; joins what is under a node, or parts it again into
    // the nodes below.
    void flip(Genes& genes, std::size_t gene) const;
    // What the genes say: the part of each place, and by column and place its cost.
    void express(const Genes& genes, Cuts& cuts, std::vector<std::vector<double>>& cost) const;

  private:
    void repair(Genes& genes, const GeneColumn& column) const;
    void express_row(const std::uint8_t* genes, const GeneColumn& column,
                     std::vector<std::int32_t>& part, std::vector<double>& cost) const;
    void express_tree(const std::uint8_t* genes, const GeneColumn& column,
                      std::vector<std::int32_t>& part, std::vector<double>& cost) const;
    static double row_cost(const GeneColumn& column, std::int32_t from, std::int32_t to);

    std::vector<GeneColumn> columns_;
    std::size_t genes_ = 0;
};

}  // namespace incrowd
