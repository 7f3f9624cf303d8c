#include "lattice/excess_sums.hpp"

#include <algorithm>
#include <numeric>

namespace incrowd {
namespace {
constexpr int64_t kCellCodes = 256;  // few enough to sum up after every count
}  // namespace

ExcessSums::ExcessSums(const std::vector<LatticeColumn>& columns, std::span<const int32_t> codes,
                       std::span<const int64_t> records)
    : columns_(columns), cells_(packed(columns, kCellCodes)),
      records_(records.begin(), records.end()), rows_(records.size() * cells_.size()),
      listed_(records.size()) {
    const size_t width = cells_.size(), m = records.size();
    std::vector<size_t> first_leaf(columns.size() + 1, 0);
    for (size_t j = 0; j < columns.size(); ++j)
        first_leaf[j + 1] = first_leaf[j] + static_cast<size_t>(columns[j].codes);
    leaves_.resize(first_leaf.back());
    size_t offset = 0;
    for (size_t c = 0; c < width; ++c) {
        const std::vector<uint32_t> of_tuple = pack_codes(cells_[c], columns, codes, m);
        for (size_t i = 0; i < m; ++i)
            rows_[i * width + c] = static_cast<uint32_t>(offset) + of_tuple[i];
        const auto size = static_cast<size_t>(cells_[c].codes);
        offset += size;
        size_t step = size;
        for (const size_t j : cells_[c].columns) {
            const auto leaves = static_cast<size_t>(columns[j].codes);
            step /= leaves;
            for (size_t code = 0; code < size; ++code)
                leaf_of_.push_back(static_cast<uint32_t>(first_leaf[j] + code / step % leaves));
        }
    }
    histogram_.assign(offset, 0);
}

// Which classes are marked is hard to guess, so there is no branch.
void ExcessSums::list(const Source& source, const std::vector<uint8_t>& marked) {
    size_t count = 0;
    int32_t* listed = listed_.data();
    for (size_t i = 0; i < source.size(); ++i) {
        listed[count] = static_cast<int32_t>(i);
        count += marked[i];
    }
    count_ = count;
}

// As many packs as there are, or any number if Width is 0.
template <size_t Width>
void ExcessSums::add_listed(const Source& source) {
    const size_t width = Width ? Width : cells_.size();
    const uint32_t* rows = rows_.data();
    const int32_t *start = source.start.data(), *tuples = source.tuples.data();
    int64_t* histogram = histogram_.data();
    for (size_t f = 0; f < count_; ++f) {
        const auto i = static_cast<size_t>(listed_[f]);
        for (int32_t t = start[i]; t < start[i + 1]; ++t) {
            const auto tuple = static_cast<size_t>(tuples[t]);
            const int64_t records = records_[tuple];
            const uint32_t* row = rows + tuple * width;
            for (size_t c = 0; c < width; ++c) histogram[row[c]] += records;
        }
    }
}

std::vector<int64_t> ExcessSums::of(const Source& source, const std::vector<uint8_t>& marked) {
    list(source, marked);
    switch (cells_.size()) {
        case 2: add_listed<2>(source); break;
        case 3: add_listed<3>(source); break;
        case 4: add_listed<4>(source); break;
        case 5: add_listed<5>(source); break;
        default: add_listed<0>(source); break;
    }
    return sum_up();
}

// Adds the cells up by column and leaf, these by column and level, and clears the cells.
std::vector<int64_t> ExcessSums::sum_up() {
    std::ranges::fill(leaves_, 0);
    int64_t* cell = histogram_.data();
    const uint32_t* leaf_of = leaf_of_.data();
    for (const Pack& pack : cells_) {
        const auto size = static_cast<size_t>(pack.codes);
        for (size_t c = 0; c < pack.columns.size(); ++c, leaf_of += size)
            for (size_t code = 0; code < size; ++code) leaves_[leaf_of[code]] += cell[code];
        std::fill_n(cell, size, 0);
        cell += size;
    }
    std::vector<int64_t> sums;
    const int64_t* leaf = leaves_.data();
    for (const LatticeColumn& column : columns_) {
        for (const std::vector<int64_t>& excess : column.excess)
            sums.push_back(std::inner_product(excess.begin(), excess.end(), leaf, int64_t{0}));
        leaf += column.codes;
    }
    return sums;
}
}  // namespace incrowd
