// Python's view of what all kernels share.
#include "core/binding.hpp"

#include <memory>
#include <utility>

#include "core/grouping.hpp"
#include "core/shuffling.hpp"

namespace incrowd {
namespace {
using Numbers = nb::ndarray<int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  // written to
using Column = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void make_table(Table* self, const Matrix& codes, const Counts& records) {
    auto owner = std::make_shared<std::pair<Matrix, Counts>>(codes, records);
    new (self) Table(without_gil(
        [&] { return Table({view(codes), view(records)}, codes.shape(0), std::move(owner)); }));
}

template <typename Code>
bool take_codes(const Column& column, RowCodes& into) {
    if (column.dtype() != nb::dtype<Code>()) return false;
    into.codes = std::span(static_cast<const Code*>(column.data()), column.size());
    return true;
}

nb::tuple grouped(const std::vector<RowCodes>& columns, size_t n) {
    auto found = without_gil([&] { return group_rows(columns, n); });
    return hand_over(found.group_of, found.first);
}

nb::tuple group(const Matrix& codes, const Counts& sizes) {
    if (codes.shape(0) != sizes.size()) refuse("group", "one size per column is needed");
    const size_t n = codes.shape(1);
    std::vector<RowCodes> columns;
    for (size_t j = 0; j < sizes.size(); ++j)
        columns.push_back({std::span(codes.data() + j * n, n), {}, sizes.data()[j]});
    return grouped(columns, n);
}

nb::tuple group_by_meaning(const std::vector<Column>& codes, const std::vector<Ints>& meanings,
                           const Counts& sizes) {
    if (codes.empty() || codes.size() != sizes.size() || codes.size() != meanings.size())
        refuse("group", "columns, and for each what it means and its size, are needed");
    std::vector<RowCodes> columns;
    for (size_t j = 0; j < codes.size(); ++j) {
        RowCodes column{{}, view(meanings[j]), sizes.data()[j]};
        if (codes[j].size() != codes[0].size()) refuse("group", "columns differ in length");
        if (!take_codes<int8_t>(codes[j], column) && !take_codes<int16_t>(codes[j], column) &&
            !take_codes<int32_t>(codes[j], column))
            refuse("group", "codes have 8, 16 or 32 bits");
        columns.push_back(column);
    }
    return grouped(columns, codes[0].size());
}

size_t shuffle_numbers(Numbers numbers, size_t left, In<uint32_t, 1> words) {
    if (left > numbers.size() || numbers.size() > std::numeric_limits<int32_t>::max())
        refuse("shuffle", "more are left than there are, or there are more than 2^31 - 1");
    const std::span all(numbers.data(), numbers.size());
    return without_gil([&] { return shuffle(all, left, view(words)); });
}
}  // namespace

void bind_core(nb::module_& module) {
    define(module, "group", group, "codes", "sizes");
    define(module, "group_by_meaning", group_by_meaning, "codes", "meanings", "sizes");
    define(module, "shuffle", shuffle_numbers, "numbers", "left", "words");
    nb::class_<Table>(module, "Table")
        .def("__init__", &make_table, nb::arg("codes"), nb::arg("records"));
}
}  // namespace incrowd
