#include "subtree/heuristic_min.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace incrowd {
ReachedTables::ReachedTables(std::vector<NodeTree> trees, Tuples tuples,
                             const Requirements& requirements, int64_t room)
    : tuples_(tuples), requirements_(requirements), room_(room) {
    std::vector<uint64_t> sizes;
    for (NodeTree& tree : trees) {
        sizes.push_back(tree.parent.size());
        cuts_.emplace_back(std::move(tree));
    }
    sizes.push_back(std::max<size_t>(1, requirements.kinds()));
    n_words_ = lay_out(sizes, fields_);
    row_bits_.assign(n_words_, 0);
    for (size_t j = 0; j < columns(); ++j) row_bits_[fields_[j].word] |= fields_[j].place();
    for (const auto& covers : requirements.views()) {
        auto& bits = view_bits_.emplace_back(n_words_, 0);
        for (size_t j = 0; j < columns(); ++j)
            if (covers[j]) bits[fields_[j].word] |= fields_[j].place();
    }
    const int32_t original = number(State(columns(), 0));
    make_from_tuples(original);
    keep(original, judged(original));
}

int32_t ReachedTables::number(State state) {
    const auto next = static_cast<int32_t>(states_.size());
    const auto [at, fresh] = number_of_.try_emplace(std::move(state), next);
    if (fresh) {
        states_.push_back(&at->first);
        figures_.push_back({0, 0});
    }
    return at->second;
}

void ReachedTables::make_from_tuples(int32_t table) {
    const size_t n = tuples_.size();
    unmerged_.words.assign(n_words_, std::vector<uint64_t>(n, 0));
    unmerged_.records.assign(tuples_.records.begin(), tuples_.records.end());
    for (size_t j = 0; j < columns(); ++j) {
        const auto& nodes = cut(table, j);
        auto& word = unmerged_.words[fields_[j].word];
        const int32_t* codes = tuples_.column(j);
        for (size_t i = 0; i < n; ++i) word[i] |= fields_[j].held(nodes[codes[i]]);
    }
    auto& word = unmerged_.words[fields_.back().word];
    for (size_t i = 0; i < n; ++i) word[i] |= fields_.back().held(requirements_.kind()[i]);
}

void ReachedTables::make_from_rows(const PackedRows& rows, size_t j, int32_t cut) {
    const auto &nodes = cuts_[j].cut(cut), &low = cuts_[j].tree().low;
    const Field field = fields_[j];
    unmerged_ = rows;
    for (uint64_t& word : unmerged_.words[field.word])
        word = (word & ~field.place()) | field.held(nodes[low[field.of(word)]]);
}

void ReachedTables::classify(const PackedRows& rows, std::span<const uint64_t> bits) {
    if (requirements_.kinds() > 1 || !std::ranges::equal(bits, row_bits_)) {
        classes_ = merging_.number(rows, bits, class_of_);
        return;
    }
    classes_ = static_cast<int32_t>(rows.size());  // nothing else tells rows apart
    class_of_.resize(rows.size());
    std::iota(class_of_.begin(), class_of_.end(), 0);
}

// Merges the rows that were made, and takes down which stand in a class that breaks something.
ReachedTables::Judged ReachedTables::judged(int32_t number) {
    Judged table{merging_.merged(unmerged_), {}};
    const auto n = static_cast<int32_t>(table.rows.size());
    table.broken.resize(view_bits_.size());
    for (size_t v = 0; v < view_bits_.size(); ++v) {
        classify(table.rows, view_bits_[v]);
        bad_.assign(static_cast<size_t>(classes_), 0);
        sizes_.assign(static_cast<size_t>(classes_), 0);
        for (int32_t row = 0; row < n; ++row) sizes_[class_of_[row]] += table.rows.records[row];
        for (const Asked& each : requirements_.asked())
            if (static_cast<size_t>(each.view) == v) ask(each, table.rows);
        for (int32_t row = 0; row < n; ++row)
            if (bad_[class_of_[row]]) table.broken[v].push_back(row);
    }
    classify(table.rows, row_bits_);
    bad_.assign(static_cast<size_t>(classes_), 0);
    for (const auto& broken : table.broken)
        for (const int32_t row : broken) bad_[class_of_[row]] = 1;
    figures_[number] = {classes_, std::ranges::count(bad_, 1)};
    return table;
}

// Marks the classes that break one requirement; `class_of_` are its classes, `sizes_` their sizes.
void ReachedTables::ask(const Asked& asked, const PackedRows& rows) {
    if (asked.spread != kNoSpread) return ask_of_spread(asked, rows);
    for (size_t c = 0; c < sizes_.size(); ++c) bad_[c] |= !asked.form->holds(sizes_[c], {});
}

void ReachedTables::ask_of_spread(const Asked& asked, const PackedRows& rows) {
    const Spread& spread = requirements_.spreads()[static_cast<size_t>(asked.spread)];
    cells_.clear();
    for (size_t i = 0; i < rows.size(); ++i)
        cells_.push_back(
            {class_of_[i], {spread.key(rows.number(fields_.back(), i)), rows.records[i]}});
    std::ranges::sort(cells_, {}, &OneKind::class_of);
    size_t at = 0;
    for (size_t c = 0; c < sizes_.size(); ++c) {
        own_.clear();
        for (; at < cells_.size() && static_cast<size_t>(cells_[at].class_of) == c; ++at)
            own_.push_back(cells_[at].cell);
        gather(own_);
        bad_[c] |= !requirements_.holds(asked, *asked.form, sizes_[c], own_, part_);
    }
}

int64_t ReachedTables::words(const Judged& judged) const {
    return static_cast<int64_t>(judged.rows.size() * (n_words_ + 1));
}

void ReachedTables::keep(int32_t table, Judged judged) {
    if (words(judged) > room_) return;
    room_ -= words(judged);
    kept_.emplace(table, std::move(judged));
}

ReachedTables::Judged ReachedTables::rows_of(int32_t table) {
    if (auto kept = kept_.extract(table)) {
        room_ += words(kept.mapped());
        return std::move(kept.mapped());
    }
    make_from_tuples(table);
    return judged(table);
}

// The parents of a column's values in rows that break a requirement on that column, ascending.
std::span<const int32_t> ReachedTables::parents_above(const Judged& judged, size_t j) {
    const NodeTree& tree = cuts_[j].tree();
    const Field field = fields_[j];
    const uint64_t* word = judged.rows.words[field.word].data();
    marked_.assign(tree.parent.size(), 0);
    for (size_t v = 0; v < judged.broken.size(); ++v)
        if (requirements_.views()[v][j])
            for (const int32_t row : judged.broken[v]) marked_[field.of(word[row])] = 1;
    above_.clear();
    for (size_t node = 0; node < marked_.size(); ++node)
        if (marked_[node] && tree.parent[node] != static_cast<int32_t>(node))
            above_.push_back(tree.parent[node]);
    std::ranges::sort(above_);
    above_.erase(std::unique(above_.begin(), above_.end()), above_.end());
    return above_;
}

TableSteps ReachedTables::steps(int32_t table, int64_t most_new) {
    const Judged from = rows_of(table);
    TableSteps found{{}, {}, true};
    for (size_t j = 0; j < columns(); ++j) {
        const auto above = parents_above(from, j);
        if (above.empty()) continue;
        State state = *states_[table];
        state[j] = cuts_[j].generalised(state[j], above);
        const int32_t cut = state[j];
        const bool known = number_of_.contains(state);
        if (!known && most_new-- == 0) return found.complete = false, found;
        found.column.push_back(static_cast<int32_t>(j));
        found.table.push_back(number(std::move(state)));
        if (known) continue;
        make_from_rows(from.rows, j, cut);
        Judged made = judged(found.table.back());
        if (figures_.back().violating) keep(found.table.back(), std::move(made));
    }
    return found;
}
}  // namespace incrowd
