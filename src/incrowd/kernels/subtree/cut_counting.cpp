#include "subtree/cut_counting.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace incrowd {

namespace {

constexpr std::uint64_t kPackCodes = 2048;  // the key of each code is worked out for every count

[[noreturn]] void refuse(const char* what) {
    throw std::invalid_argument(std::string("cuts: ") + what);
}

void check_places(const CutTable& table) {
    for (std::size_t j = 0; j < table.columns(); ++j) {
        if (table.sizes[j] < 1) refuse("a column has no places");
        for (std::size_t i = 0; i < table.tuples; ++i)
            if (table.column(j)[i] < 0 || table.column(j)[i] >= table.sizes[j])
                refuse("a place is out of range");
    }
}

void read_records(CutTable& table, const In<std::int64_t, 1>& records) {
    table.records.assign(records.data(), records.data() + records.size());
    for (std::int64_t each : table.records)
        if (each < 1 || __builtin_add_overflow(table.n_records, each, &table.n_records))
            refuse("a count is out of range");
}

void read_target(CutTable& table, const In<std::int32_t, 1>& target) {
    table.target.assign(target.data(), target.data() + target.size());
    for (std::int32_t each : table.target) {
        if (each < 0 || each == std::numeric_limits<std::int32_t>::max())
            refuse("a class is out of range");
        table.targets = std::max(table.targets, each + 1);
    }
}

void read_demands(CutTable& table, const In<std::uint8_t, 2>& covers,
                  const In<std::int64_t, 1>& least) {
    for (std::size_t r = 0; r < least.size(); ++r) {
        Demand demand{{}, least.data()[r]};
        for (std::size_t j = 0; j < table.columns(); ++j)
            if (covers.data()[r * table.columns() + j]) demand.columns.push_back(j);
        if (demand.size < 1 || demand.size > table.n_records)
            refuse("no class can be as large as asked for");
        table.demands.push_back(std::move(demand));
    }
    if (table.demands.empty() || table.demands[0].columns.size() != table.columns())
        refuse("the first classes are those over all columns");
}

}  // namespace

CutTable cut_table(const In<std::int32_t, 2>& places, const In<std::int64_t, 1>& sizes,
                   const In<std::int64_t, 1>& records, const In<std::int32_t, 1>& target,
                   const In<std::uint8_t, 2>& covers, const In<std::int64_t, 1>& least) {
    CutTable table;
    table.tuples = places.shape(1);
    const std::size_t d = places.shape(0);
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    if (sizes.size() != d || covers.shape(1) != d || covers.shape(0) != least.size())
        refuse("one size and one mark per column are needed");
    if (records.size() != table.tuples || target.size() != table.tuples)
        refuse("one count and one class per tuple are needed");
    if (table.tuples == 0 || table.tuples > most / 2) refuse("too few or too many tuples");
    for (std::size_t j = 0; j < d; ++j) {
        if (sizes.data()[j] > static_cast<std::int64_t>(most)) refuse("a column is too long");
        table.sizes.push_back(static_cast<std::int32_t>(sizes.data()[j]));
    }
    table.places.assign(places.data(), places.data() + places.size());
    check_places(table);
    read_records(table, records);
    read_target(table, target);
    read_demands(table, covers, least);
    return table;
}

Cuts::Cuts(const CutTable& table) : parts(table.columns(), 1) {
    for (std::int32_t size : table.sizes) part.emplace_back(size, 0);
}

CutCounter::CutCounter(const CutTable& table, const std::vector<std::size_t>& columns)
    : table_(table) {
    for (std::size_t j : columns) {
        const auto size = static_cast<std::uint64_t>(table.sizes[j]);
        if (packs_.empty() || packs_.back().codes > kPackCodes / size) packs_.emplace_back();
        packs_.back().columns.push_back(j);
        packs_.back().codes *= size;
    }
    for (Pack& pack : packs_) {
        pack.code.assign(table.tuples, 0);
        for (std::size_t j : pack.columns)
            for (std::size_t i = 0; i < table.tuples; ++i)
                pack.code[i] = pack.code[i] * static_cast<std::uint32_t>(table.sizes[j]) +
                               static_cast<std::uint32_t>(table.column(j)[i]);
    }
}

void CutCounter::refresh(Pack& pack, const Cuts& cuts) const {
    pack.key.assign(pack.codes, 0);
    pack.keys = 1;
    std::size_t made = 1;
    for (std::size_t j : pack.columns) {
        const auto& part = cuts.part[j];
        const auto parts = static_cast<std::uint64_t>(cuts.parts[j]);
        for (std::size_t at = made; at-- > 0;)  // backwards: the row grows in place
            for (std::size_t place = part.size(); place-- > 0;)
                pack.key[at * part.size() + place] =
                    pack.key[at] * parts + static_cast<std::uint64_t>(part[place]);
        made *= part.size();
        pack.keys *= parts;
    }
}

std::int32_t CutCounter::number(const Cuts& cuts, std::span<const std::int32_t> tuples,
                                std::vector<std::int32_t>& class_of) {
    const std::size_t n = tuples.size();
    class_of.resize(n);
    keys_.assign(n, 0);
    std::uint64_t space = 1;
    for (Pack& pack : packs_) {
        refresh(pack, cuts);
        if (pack.keys > (kKeyLimit - 1) / space) {  // number what there is, and go on from there
            space = std::max(1, numbering_.number(keys_.data(), n, space, class_of.data()));
            for (std::size_t i = 0; i < n; ++i) keys_[i] = static_cast<std::uint64_t>(class_of[i]);
        }
        const std::uint32_t* code = pack.code.data();
        for (std::size_t i = 0; i < n; ++i)
            keys_[i] = keys_[i] * pack.keys + pack.key[code[tuples[i]]];
        space *= pack.keys;
    }
    return numbering_.number(keys_.data(), n, space, class_of.data());
}

std::int64_t Suppression::run(std::span<const std::int64_t> records,
                              const std::vector<std::vector<std::int32_t>>& class_of,
                              const std::vector<std::int32_t>& classes,
                              std::vector<std::uint8_t>& fallen) {
    fallen.assign(records.size(), 0);
    std::int64_t fell = 0;
    std::size_t settled = 0;
    for (std::size_t r = 0; settled < class_of.size(); r = (r + 1) % class_of.size()) {
        const std::int32_t* of = class_of[r].data();
        size_.assign(classes[r], 0);
        for (std::size_t i = 0; i < records.size(); ++i)
            if (!fallen[i]) size_[of[i]] += records[i];
        const std::int64_t before = fell;
        for (std::size_t i = 0; i < records.size(); ++i)
            if (!fallen[i] && size_[of[i]] < table_.demands[r].size) {
                fallen[i] = 1;
                fell += records[i];
            }
        settled = fell > before ? 1 : settled + 1;
    }
    return fell;
}

}  // namespace incrowd
