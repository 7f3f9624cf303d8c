// Top-down refinement (Fung, Wang, Yu 2005 and 2007): start with every column at its root, and
// refine the value of the best information gain per loss of anonymity while that is allowed.
// Twin: tests/naive/tdr.py.
//
// Cost: one pass over the entries of a column for each level that is refined there, and per step
// one over the tuples that show the refined value, for each requirement that covers its column.
#pragma once

#include <vector>

#include "core/workers.hpp"
#include "requirements/requirements.hpp"

namespace incrowd::refinement {
enum class Kind { taxonomy, interval, disclosure };

struct Span {
    int32_t low, high;  // codes [low, high)
};

// The nodes of a tree over the codes that occur, and into which nodes each is refined.
struct Taxonomy {
    std::vector<Span> span;
    std::vector<int32_t> start, stop;  // by node: its part of `child`
    std::vector<int32_t> child;        // in leaf order; the root is the last node
    std::vector<uint8_t> must;         // by node: whether it is refined before anything else
};

// How many records of each class have each code: entries by code.
struct Margin {
    std::vector<size_t> start;  // by code, and one more
    std::vector<int32_t> class_of;
    std::vector<int64_t> count;
    std::vector<int64_t> records;  // by code
};

// What a column is made of.  Codes from `n_plain` on are no numbers, or cannot be disclosed.  An
// interval may begin at the codes that `may_begin` says.
struct ColumnParts {
    Kind kind;
    int32_t n_plain;
    Taxonomy taxonomy;
    std::vector<int32_t> may_begin;
    Margin margin;

    bool has(int32_t code) const {
        return code >= 0 && static_cast<size_t>(code) < margin.records.size() &&
               margin.records[code] > 0;
    }
};

struct Rule {
    bool by_gain;        // the anonymity that is lost does not matter
    bool disclose_most;  // of the suppressed values only that of most gain is tried
    bool over_all;       // loss is averaged over all requirements
    bool by_classes;     // records of several classes may be refined even if that tells nothing
    int64_t least_part;  // an interval is cut only where so many records fall on either side
};

struct Trace {
    std::vector<int32_t> column, value, split;
    std::vector<double> gain, loss, score;
    // By column, what its first refinement would tell, and where it would cut an interval, or -1.
    std::vector<double> first_gain;
    std::vector<int32_t> first_split;
    int64_t scored = 0;
};

struct Requirement {
    std::vector<int32_t> columns;
    std::vector<int32_t> codes;
    std::vector<int64_t> records;
    int64_t k;
};

// What is asked beyond sizes: of all tuples of a table, by the codes of the refined columns.
struct Promises {
    const incrowd::Requirements* requirements = nullptr;  // none: nothing is
    std::vector<size_t> position;                         // by column: its place in the table
    std::vector<int32_t> codes;                           // column-major
    std::vector<int64_t> records;
};

Trace tdr(std::vector<ColumnParts> columns, std::vector<Requirement> requirements,
          const Promises& promises, size_t n_classes, Rule rule, Meter& meter);
}  // namespace incrowd::refinement
