// Top-down refinement (Fung, Wang, Yu 2005 and 2007): start with every column at its root, and
// refine the value of the best information gain per loss of anonymity while that is allowed.
// Twin: tests/naive/tdr.py.
//
// Cost: one pass over the entries of a column for each level that is refined there, and per step
// one over the tuples that show the refined value, for each requirement that covers its column.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/arrays.hpp"
#include "subtree/tdr_columns.hpp"
#include "subtree/tdr_groups.hpp"

namespace incrowd {

namespace {

using refinement::Column;
using refinement::Groups;
using refinement::Kind;
using refinement::Margin;
using refinement::Refined;
using refinement::Span;
using refinement::Taxonomy;
using refinement::Weights;

constexpr double kEqual = 1e-12;

struct Rule {
    bool by_gain;        // the anonymity that is lost does not matter
    bool disclose_most;  // of the suppressed values only that of most gain is tried
    bool over_all;       // loss is averaged over all requirements
    bool by_classes;     // records of several classes may be refined even if that tells nothing
};

struct Trace {
    std::vector<std::int32_t> column, value, split;
    std::vector<double> gain, loss, score;
    std::int64_t scored = 0;
};

struct Requirement {
    std::vector<std::int32_t> columns;
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> records;
    std::int64_t k;
};

class Search {
  public:
    Search(std::vector<Column>& columns, std::vector<Requirement> requirements, Rule rule,
           Meter& meter)
        : columns_(columns), covering_(columns.size()), rule_(rule), meter_(meter) {
        for (Requirement& each : requirements) {
            std::vector<Column*> covered;
            for (std::size_t i = 0; i < each.columns.size(); ++i) {
                const auto column = static_cast<std::size_t>(each.columns[i]);
                covered.push_back(&columns_[column]);
                covering_[column].push_back({groups_.size(), i});
            }
            groups_.emplace_back(std::move(covered), each.codes.data(), std::move(each.records),
                                 each.k, meter);
        }
    }

    Trace run() {
        while (const std::optional<Best> best = find_best()) refine(*best);
        return std::move(trace_);
    }

  private:
    struct Covering {
        std::size_t requirement, position;  // of the column among the requirement's
    };
    struct Best {
        std::size_t column;
        std::int32_t candidate;
        double gain, loss, score;
    };

    std::optional<Best> find_best() {
        std::optional<Best> best;
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            if (rule_.disclose_most && columns_[j].kind() == Kind::disclosure) {
                if (const std::int32_t most = of_most_gain(j); most >= 0) consider(j, most, best);
                continue;
            }
            for (const std::int32_t each : columns_[j].candidates()) consider(j, each, best);
            columns_[j].forget_closed();
        }
        return best;
    }

    // Chosen like the split of an interval: by gain alone, and if it is not allowed none is.
    std::int32_t of_most_gain(std::size_t j) {
        std::int32_t most = -1;
        double gain = 0.0;
        for (const std::int32_t each : columns_[j].candidates())
            if (columns_[j].is_beneficial(each) &&
                (most < 0 || columns_[j].gain(each) - gain > kEqual * gain))
                most = each, gain = columns_[j].gain(each);
        if (most >= 0 && columns_[j].is_open(most)) return most;
        columns_[j].close_all();
        return -1;
    }

    void consider(std::size_t j, std::int32_t candidate, std::optional<Best>& best) {
        Column& column = columns_[j];
        if (!column.is_open(candidate) || !column.is_beneficial(candidate)) return;
        double lost = 0.0;
        for (const Covering& each : covering_[j]) {
            const Groups& groups = groups_[each.requirement];
            const std::int64_t after = groups.smallest_after(each.position, candidate);
            if (after < groups.k()) return column.close(candidate);
            lost += static_cast<double>(groups.smallest() - after);
        }
        const auto n = rule_.over_all ? groups_.size() : covering_[j].size();
        const double gain = column.gain(candidate), loss = lost / static_cast<double>(n);
        const double score = rule_.by_gain ? gain : gain / (loss + 1.0);
        ++trace_.scored;
        if (!best || score - best->score > kEqual * best->score)
            best = Best{j, candidate, gain, loss, score};
    }

    void refine(const Best& best) {
        for (const Covering& each : covering_[best.column])
            groups_[each.requirement].divide(each.position, best.candidate);
        const Refined refined = columns_[best.column].refine(best.candidate);
        for (const Covering& each : covering_[best.column])
            groups_[each.requirement].survey_divided(each.position);
        trace_.column.push_back(static_cast<std::int32_t>(best.column));
        trace_.value.push_back(refined.value);
        trace_.split.push_back(refined.split);
        trace_.gain.push_back(best.gain);
        trace_.loss.push_back(best.loss);
        trace_.score.push_back(best.score);
        meter_.advance(1);
    }

    std::vector<Column>& columns_;
    std::vector<Groups> groups_;  // by requirement
    std::vector<std::vector<Covering>> covering_;
    Rule rule_;
    Meter& meter_;
    Trace trace_;
};

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("top_down_refinement: ") + what);
}

template <typename T>
std::vector<T> copied(nb::handle array) {
    const auto given = nb::cast<In<T, 1>>(array);
    return std::vector<T>(given.data(), given.data() + given.size());
}

Margin margin_of(nb::handle codes, nb::handle classes, nb::handle counts, std::int32_t n_codes,
                 std::size_t n_classes) {
    const auto code_of = copied<std::int32_t>(codes);
    Margin margin{{}, copied<std::int32_t>(classes), copied<std::int64_t>(counts), {}};
    const std::size_t n = code_of.size();
    require(margin.class_of.size() == n && margin.count.size() == n,
            "codes, classes and counts of a column must be as many");
    margin.start.assign(static_cast<std::size_t>(n_codes) + 1, n);
    margin.records.assign(static_cast<std::size_t>(n_codes), 0);
    std::int64_t sum = 0;
    for (std::size_t i = n; i-- > 0;) {
        require(code_of[i] >= 0 && code_of[i] < n_codes && (!i || code_of[i - 1] <= code_of[i]),
                "codes of a column must ascend, from 0 on");
        require(margin.class_of[i] >= 0 && static_cast<std::size_t>(margin.class_of[i]) < n_classes,
                "a class is out of range");
        require(margin.count[i] > 0 && !__builtin_add_overflow(sum, margin.count[i], &sum),
                "a count is out of range");
        margin.records[static_cast<std::size_t>(code_of[i])] += margin.count[i];
        margin.start[static_cast<std::size_t>(code_of[i])] = i;
    }
    for (std::size_t code = margin.records.size(); code-- > 0;)
        if (!margin.records[code]) margin.start[code] = margin.start[code + 1];
    return margin;
}

// Children lie in their parent, from left to right, and come before it: there are no circles.
Taxonomy taxonomy_of(nb::handle low, nb::handle high, nb::handle start, nb::handle stop,
                     nb::handle child, std::int32_t n_codes) {
    const auto lows = copied<std::int32_t>(low), highs = copied<std::int32_t>(high);
    Taxonomy tree{
        {}, copied<std::int32_t>(start), copied<std::int32_t>(stop), copied<std::int32_t>(child)};
    const std::size_t n = lows.size();
    require(n > 0 && highs.size() == n && tree.start.size() == n && tree.stop.size() == n,
            "a taxonomy is damaged");
    for (std::size_t node = 0; node < n; ++node) {
        tree.span.push_back({lows[node], highs[node]});
        require(lows[node] >= 0 && lows[node] <= highs[node] && highs[node] <= n_codes &&
                    tree.start[node] >= 0 && tree.start[node] <= tree.stop[node] &&
                    static_cast<std::size_t>(tree.stop[node]) <= tree.child.size(),
                "a taxonomy is damaged");
        std::int32_t end = lows[node];
        for (std::int32_t i = tree.start[node]; i < tree.stop[node]; ++i) {
            const std::int32_t each = tree.child[static_cast<std::size_t>(i)];
            require(each >= 0 && static_cast<std::size_t>(each) < node, "a taxonomy is damaged");
            const Span inside = tree.span[static_cast<std::size_t>(each)];
            require(inside.low >= end && inside.high <= highs[node], "a taxonomy is damaged");
            end = inside.high;
        }
    }
    require(lows[n - 1] == 0 && highs[n - 1] == n_codes, "the last node must be the root");
    return tree;
}

// Whatever occurs under a node that can be refined occurs under one of its children.
void require_cover(const Taxonomy& tree, const Margin& margin) {
    std::vector<std::int64_t> below{0};
    for (const std::int64_t records : margin.records) below.push_back(below.back() + records);
    const auto records_in = [&](Span span) {
        return below[static_cast<std::size_t>(span.high)] -
               below[static_cast<std::size_t>(span.low)];
    };
    for (std::size_t node = 0; node < tree.span.size(); ++node) {
        std::int64_t inside = 0;
        for (std::int32_t i = tree.start[node]; i < tree.stop[node]; ++i)
            inside += records_in(
                tree.span[static_cast<std::size_t>(tree.child[static_cast<std::size_t>(i)])]);
        require(tree.start[node] == tree.stop[node] || inside == records_in(tree.span[node]),
                "a taxonomy leaves records out");
    }
}

// What a column is made of, as Python hands it over.
struct Packed {
    Kind kind;
    std::int32_t n_plain;
    Taxonomy taxonomy;
    std::vector<std::int32_t> may_begin;
    Margin margin;

    bool has(std::int32_t code) const {
        return code >= 0 && static_cast<std::size_t>(code) < margin.records.size() &&
               margin.records[static_cast<std::size_t>(code)] > 0;
    }
};

Packed column_of(nb::handle packed, std::size_t n_classes) {
    const auto given = nb::cast<nb::tuple>(packed);
    require(given.size() == 7, "a column has 7 parts");
    const auto kind = nb::cast<int>(given[0]);
    const auto n_codes = nb::cast<std::int32_t>(given[1]);
    const auto n_plain = nb::cast<std::int32_t>(given[2]);
    require(kind >= 0 && kind <= 2, "there is no such kind of column");
    require(n_codes >= 0 && n_plain >= 0 && n_plain <= n_codes, "a size is out of range");
    Packed column{static_cast<Kind>(kind),
                  n_plain,
                  {},
                  {},
                  margin_of(given[4], given[5], given[6], n_codes, n_classes)};
    if (column.kind == Kind::taxonomy) {
        const auto tree = nb::cast<nb::tuple>(given[3]);
        require(tree.size() == 5, "a taxonomy has 5 parts");
        column.taxonomy = taxonomy_of(tree[0], tree[1], tree[2], tree[3], tree[4], n_codes);
        require_cover(column.taxonomy, column.margin);
    } else if (column.kind == Kind::interval) {
        const auto begins = nb::cast<nb::tuple>(given[3]);
        require(begins.size() == 1, "where intervals may begin is one array");
        column.may_begin = copied<std::int32_t>(begins[0]);
        require(column.may_begin.size() == static_cast<std::size_t>(n_plain),
                "each number may begin an interval or not");
    }
    return column;
}

Requirement requirement_of(nb::handle packed, const std::vector<Packed>& columns) {
    const auto given = nb::cast<nb::tuple>(packed);
    require(given.size() == 4, "a requirement has 4 parts");
    const auto codes = nb::cast<In<std::int32_t, 2>>(given[1]);
    Requirement asked{copied<std::int32_t>(given[0]),
                      std::vector<std::int32_t>(codes.data(), codes.data() + codes.size()),
                      copied<std::int64_t>(given[2]), nb::cast<std::int64_t>(given[3])};
    const std::size_t n = asked.records.size();
    require(asked.k >= 1 && codes.shape(0) == asked.columns.size() && codes.shape(1) == n && n > 0,
            "a requirement is damaged");
    require(n <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
            "more than 2^31 - 1 tuples");
    std::int64_t sum = 0;
    for (const std::int64_t count : asked.records)
        require(count > 0 && !__builtin_add_overflow(sum, count, &sum), "a count is out of range");
    for (std::size_t i = 0; i < asked.columns.size(); ++i) {
        require(asked.columns[i] >= (i ? asked.columns[i - 1] + 1 : 0) &&
                    static_cast<std::size_t>(asked.columns[i]) < columns.size(),
                "columns of a requirement must ascend");
        const Packed& column = columns[static_cast<std::size_t>(asked.columns[i])];
        for (std::size_t row = 0; row < n; ++row)
            require(column.has(asked.codes[i * n + row]), "a code is out of range");
    }
    return asked;
}

Trace searched(std::vector<Packed>& packed, std::vector<Requirement>& requirements,
               std::size_t n_classes, Rule rule, Meter& meter) {
    std::int64_t most = 0;
    for (const Packed& each : packed)
        most = std::max(most, std::accumulate(each.margin.records.begin(),
                                              each.margin.records.end(), std::int64_t{0}));
    Weights weights(most);
    std::vector<Column> columns;
    for (Packed& each : packed)
        columns.emplace_back(each.kind, each.n_plain, std::move(each.taxonomy),
                             std::move(each.may_begin), std::move(each.margin), n_classes,
                             rule.by_classes, weights);
    return Search(columns, std::move(requirements), rule, meter).run();
}

}  // namespace

void bind_top_down_refinement(nb::module_& module) {
    module.def(
        "top_down_refinement",
        [](nb::list packed_columns, nb::list packed_requirements, std::size_t n_classes,
           bool by_gain, bool disclose_most, bool over_all, bool by_classes,
           std::function<void(std::int64_t)> report) {
            std::vector<Packed> packed;
            for (const nb::handle each : packed_columns)
                packed.push_back(column_of(each, n_classes));
            std::vector<Requirement> requirements;
            for (const nb::handle each : packed_requirements)
                requirements.push_back(requirement_of(each, packed));
            Trace trace;
            {
                nb::gil_scoped_release release;
                Meter meter(report);
                const Rule rule{by_gain, disclose_most, over_all, by_classes};
                trace = searched(packed, requirements, n_classes, rule, meter);
            }
            return nb::make_tuple(
                to_numpy(std::move(trace.column)), to_numpy(std::move(trace.value)),
                to_numpy(std::move(trace.split)), to_numpy(std::move(trace.gain)),
                to_numpy(std::move(trace.loss)), to_numpy(std::move(trace.score)), trace.scored);
        },
        nb::arg("columns"), nb::arg("requirements"), nb::arg("n_classes"), nb::arg("by_gain"),
        nb::arg("disclose_most"), nb::arg("over_all"), nb::arg("by_classes"), nb::arg("report"));
}

}  // namespace incrowd
