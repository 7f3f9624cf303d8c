#include "subtree/chromosomes.hpp"

#include <algorithm>
#include <stdexcept>

namespace incrowd {

namespace {

template <typename T>
std::vector<T> read(nb::handle array) {
    const auto values = nb::cast<In<T, 1>>(array);
    return {values.data(), values.data() + values.size()};
}

void check(const GeneColumn& column, std::int32_t places) {
    const bool fits =
        static_cast<std::int32_t>(column.alone.size()) == places && column.leaves >= 0 &&
        column.leaves <= places &&
        column.position.size() == static_cast<std::size_t>(column.leaves) + 1 &&
        column.low.size() == column.high.size() && column.low.size() == column.parent.size() &&
        column.low.size() == column.node_cost.size() && column.may.size() == column.genes();
    if (!fits) throw std::invalid_argument("genetic: a column's arrays do not fit together");
    for (std::size_t at = 0; at < column.low.size(); ++at) {
        const std::int32_t up = column.parent[at], low = column.low[at], high = column.high[at];
        const bool before = up < static_cast<std::int32_t>(at);
        const bool inside = up < 0 || (before && column.low[up] <= low && high <= column.high[up]);
        if (!before || !inside || low < 0 || low >= high || high > places)
            throw std::invalid_argument("genetic: the nodes of a column are no tree");
    }
}

}  // namespace

std::vector<GeneColumn> gene_columns(nb::list columns, const CutTable& table) {
    if (columns.size() != table.columns())
        throw std::invalid_argument("genetic: one description per column is needed");
    std::vector<GeneColumn> read_columns;
    for (nb::handle each : columns) {
        const auto parts = nb::cast<nb::tuple>(each);
        if (parts.size() != 10)
            throw std::invalid_argument("genetic: a column is described by ten things");
        GeneColumn column{nb::cast<bool>(parts[0]),     read<std::int32_t>(parts[1]),
                          read<std::int32_t>(parts[2]), read<std::int32_t>(parts[3]),
                          read<double>(parts[4]),       read<double>(parts[5]),
                          read<double>(parts[6]),       nb::cast<std::int32_t>(parts[7]),
                          nb::cast<double>(parts[8]),   read<std::uint8_t>(parts[9])};
        check(column, table.sizes[read_columns.size()]);
        read_columns.push_back(std::move(column));
    }
    return read_columns;
}

Chromosomes::Chromosomes(std::vector<GeneColumn> columns) : columns_(std::move(columns)) {
    for (GeneColumn& column : columns_) {
        column.first = genes_;
        genes_ += column.genes();
    }
}

Genes Chromosomes::most_general() const {
    Genes genes(genes_, 0);
    for (const GeneColumn& column : columns_)
        if (!column.is_row)
            for (std::size_t at = 0; at < column.genes(); ++at)
                genes[column.first + at] = column.parent[at] < 0;
    return genes;
}

Genes Chromosomes::drawn(double density, Random& random) const {
    Genes genes(genes_, 0);
    for (const GeneColumn& column : columns_) {
        const double likely = column.is_row ? density : 1 - density;
        for (std::size_t at = 0; at < column.genes(); ++at)
            genes[column.first + at] =
                random.share() < likely && (!column.is_row || column.may[at]);
        repair(genes, column);
    }
    return genes;
}

Genes Chromosomes::crossed(const Genes& one, const Genes& other, Random& random) const {
    Genes genes = one;
    for (const GeneColumn& column : columns_)
        if (random.below(2))
            std::copy_n(other.begin() + column.first, column.genes(), genes.begin() + column.first);
    return genes;
}

void Chromosomes::flip(Genes& genes, std::size_t gene) const {
    std::size_t at = 0;
    while (at + 1 < columns_.size() && columns_[at + 1].first <= gene) ++at;
    const GeneColumn& column = columns_[at];
    if (column.is_row) {
        genes[gene] ^= column.may[gene - column.first] != 0;
        return;
    }
    std::uint8_t* mine = genes.data() + column.first;
    auto node = static_cast<std::int32_t>(gene - column.first), set = node;
    while (set >= 0 && !mine[set]) set = column.parent[set];
    if (set < 0) {
        mine[node] = 1;
    } else {
        mine[set] = 0;
        for (std::size_t below = set + 1; below < column.genes(); ++below)
            if (column.parent[below] == set) mine[below] = 1;
    }
    repair(genes, column);
}

// A node that is set takes the place of all below it.
void Chromosomes::repair(Genes& genes, const GeneColumn& column) const {
    if (column.is_row) return;
    std::uint8_t* mine = genes.data() + column.first;
    std::vector<std::uint8_t> covered(column.genes(), 0);
    for (std::size_t at = 0; at < column.genes(); ++at) {
        const std::int32_t up = column.parent[at];
        covered[at] = up >= 0 && (covered[up] || mine[up]);
        if (covered[at]) mine[at] = 0;
    }
}

void Chromosomes::express(const Genes& genes, Cuts& cuts,
                          std::vector<std::vector<double>>& cost) const {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const GeneColumn& column = columns_[j];
        const std::uint8_t* mine = genes.data() + column.first;
        if (column.is_row)
            express_row(mine, column, cuts.part[j], cost[j]);
        else
            express_tree(mine, column, cuts.part[j], cost[j]);
        cuts.parts[j] = *std::max_element(cuts.part[j].begin(), cuts.part[j].end()) + 1;
    }
}

double Chromosomes::row_cost(const GeneColumn& column, std::int32_t from, std::int32_t to) {
    if (to - from == 1) return column.alone[from];
    const double all = column.position[column.leaves];
    if (all <= 1) return 0;
    if (to > column.leaves) return 1;  // missing or unknown with others: the root
    const double low = from == 0 ? 0 : column.position[from];
    return (column.position[to] - low - 1) / (all - 1);
}

void Chromosomes::express_row(const std::uint8_t* genes, const GeneColumn& column,
                              std::vector<std::int32_t>& part, std::vector<double>& cost) const {
    const auto places = static_cast<std::int32_t>(part.size());
    for (std::int32_t from = 0, number = 0; from < places; ++number) {
        std::int32_t to = from + 1;
        while (to < places && !genes[to - 1]) ++to;
        const double each = column.weight * row_cost(column, from, to);
        for (; from < to; ++from) part[from] = number, cost[from] = each;
    }
}

void Chromosomes::express_tree(const std::uint8_t* genes, const GeneColumn& column,
                               std::vector<std::int32_t>& part, std::vector<double>& cost) const {
    std::fill(part.begin(), part.end(), -1);
    std::int32_t number = 0;
    for (std::size_t at = 0; at < column.genes(); ++at) {
        if (!genes[at]) continue;
        for (std::int32_t place = column.low[at]; place < column.high[at]; ++place)
            part[place] = number, cost[place] = column.weight * column.node_cost[at];
        ++number;
    }
    for (std::size_t place = 0; place < part.size(); ++place)
        if (part[place] < 0) {
            part[place] = number++;
            cost[place] = column.weight * column.alone[place];
        }
}

}  // namespace incrowd
