// The tables that HeuristicMin reaches: in each, the values of one column in violating rows have
// become their parents.
//
// A table is a cut per column and has a number; the original is 0.  Its rows are merged from those
// of the table it was made from, and kept until somebody steps on from it, as long as there is
// room.  O(rows) for a table, and O(rows log rows) where requirements look at carried columns.
// Arca and Hewett, "Data privacy with heuristic anonymisation", IJICS 20(1/2), 2023.
// Twin: tests/naive/subtree.py::heuristic_min.
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/tuples.hpp"
#include "requirements/requirements.hpp"
#include "subtree/node_cuts.hpp"
#include "subtree/packed_rows.hpp"

namespace incrowd {
// What a search looks at: distinct rows, and those of them in a class that breaks something.
struct RowFigures {
    int64_t rows, violating;
};

struct TableSteps {
    std::vector<int32_t> column, table;
    bool complete;  // false: one more table would have been too many
};

class ReachedTables {
  public:
    // `room` is for so many words of rows that were not yet asked for.  Codes, records and
    // requirements must outlive this.
    ReachedTables(std::vector<NodeTree> trees, Tuples tuples, const Requirements& requirements,
                  int64_t room);
    ReachedTables(const ReachedTables&) = delete;

    // The tables one step from a table, by column, where at most so many may be new.
    TableSteps steps(int32_t table, int64_t most_new);

    size_t size() const { return states_.size(); }
    size_t columns() const { return cuts_.size(); }
    RowFigures figures(int32_t table) const { return figures_[table]; }
    const std::vector<int32_t>& cut(int32_t table, size_t j) const {
        return cuts_[j].cut((*states_[table])[j]);
    }

  private:
    using State = std::vector<int32_t>;  // by column the number of its cut
    struct Judged {
        PackedRows rows;
        std::vector<std::vector<int32_t>> broken;  // by view, the rows whose class breaks it
    };

    int32_t number(State state);
    Judged rows_of(int32_t table);
    // Into `unmerged_`: the rows of a table, and those of one a step further in column j.
    void make_from_tuples(int32_t table);
    void make_from_rows(const PackedRows& rows, size_t j, int32_t cut);
    Judged judged(int32_t number);
    // The classes of rows that differ in these bits: into `class_of_` and `classes_`.
    void classify(const PackedRows& rows, std::span<const uint64_t> bits);
    void ask(const Asked& asked, const PackedRows& rows);
    void ask_of_spread(const Asked& asked, const PackedRows& rows);
    void keep(int32_t table, Judged judged);
    int64_t words(const Judged& judged) const;
    std::span<const int32_t> parents_above(const Judged& judged, size_t j);

    Tuples tuples_;
    const Requirements& requirements_;
    std::vector<NodeCuts> cuts_;
    std::vector<Field> fields_;  // by column, then the kind
    size_t n_words_;
    std::vector<std::vector<uint64_t>> view_bits_;
    std::vector<uint64_t> row_bits_;  // all but the kind
    std::map<State, int32_t> number_of_;
    std::vector<const State*> states_;
    std::vector<RowFigures> figures_;
    std::unordered_map<int32_t, Judged> kept_;
    int64_t room_;
    // Room to work in.
    struct OneKind {
        int32_t class_of;
        Kinds cell;
    };
    RowMerging merging_;
    PackedRows unmerged_;
    std::vector<int32_t> class_of_, above_;
    int32_t classes_ = 0;
    std::vector<int64_t> sizes_;
    std::vector<uint8_t> bad_, marked_;  // by class; by node
    std::vector<OneKind> cells_;
    std::vector<Kinds> own_;
    std::vector<Cell> part_;
};
}  // namespace incrowd
