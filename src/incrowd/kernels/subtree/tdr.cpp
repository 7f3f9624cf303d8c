#include "subtree/tdr.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/ties.hpp"
#include "subtree/tdr_groups.hpp"
#include "subtree/tdr_promises.hpp"

namespace incrowd::refinement {
namespace {
class Search {
  public:
    Search(std::vector<Column>& columns, std::vector<Requirement> requirements,
           const Promises& promises, Rule rule, Meter& meter)
        : columns_(columns), covering_(columns.size()), rule_(rule), meter_(meter) {
        for (Requirement& each : requirements) {
            std::vector<Column*> covered;
            for (size_t i = 0; i < each.columns.size(); ++i) {
                const auto column = static_cast<size_t>(each.columns[i]);
                covered.push_back(&columns_[column]);
                covering_[column].push_back({groups_.size(), i});
            }
            groups_.emplace_back(std::move(covered), each.codes.data(), std::move(each.records),
                                 each.k, meter);
            reachable_ = reachable_ && groups_.back().smallest() >= each.k;
        }
        if (promises.requirements != nullptr)
            for (size_t view = 0; view < promises.requirements->views().size(); ++view)
                promised_.emplace_back(promises, view, columns_);
    }

    Trace run() {
        while (refine_required()) {
        }
        while (const std::optional<Best> best = find_best()) refine(*best);
        return std::move(trace_);
    }

  private:
    struct Covering {
        size_t requirement, position;  // of the column among the requirement's
    };
    struct Best {
        size_t column;
        int32_t candidate;
        double gain, loss, score;
    };

    // Refines a value that may not be shown; whoever asks has seen to it that this is allowed.
    bool refine_required() {
        for (size_t j = 0; j < columns_.size(); ++j) {
            const int32_t candidate = columns_[j].required();
            if (candidate < 0) continue;
            const double gain = columns_[j].gain(candidate);
            refine({j, candidate, gain, 0.0, gain});
            return true;
        }
        return false;
    }

    // The paper's choice of "the best candidate for refinement", over all columns.
    std::optional<Best> find_best() {
        std::optional<Best> best;
        for (size_t j = 0; j < columns_.size(); ++j) {
            if (rule_.disclose_most && columns_[j].kind() == Kind::disclosure) {
                if (const int32_t most = of_most_gain(j); most >= 0) consider(j, most, best);
                continue;
            }
            for (const int32_t each : columns_[j].candidates()) consider(j, each, best);
            columns_[j].forget_closed();
        }
        return best;
    }

    // Chosen like the split of an interval: by gain alone, and if it is not allowed none is.
    int32_t of_most_gain(size_t j) {
        int32_t most = -1;
        double gain = 0.0;
        for (const int32_t each : columns_[j].candidates())
            if (columns_[j].is_beneficial(each) &&
                (most < 0 || columns_[j].gain(each) - gain > kTie * gain))
                most = each, gain = columns_[j].gain(each);
        if (most >= 0 && columns_[j].is_open(most)) return most;
        columns_[j].close_all();
        return -1;
    }

    // The paper's Score: information gain for each record that the smallest group loses.
    void consider(size_t j, int32_t candidate, std::optional<Best>& best) {
        Column& column = columns_[j];
        if (!column.is_open(candidate) || !column.is_beneficial(candidate)) return;
        const double gain = column.gain(candidate);
        // No score is above its gain, and what is open now leaves no group too small.
        if (best && reachable_ && gain - best->score <= kTie * best->score) {
            ++trace_.scored;
            return;
        }
        double lost = 0.0;
        for (const Covering& each : covering_[j]) {
            const Groups& groups = groups_[each.requirement];
            const int64_t after = groups.smallest_after(each.position, candidate);
            if (after < groups.k()) return column.close(candidate);
            lost += static_cast<double>(groups.smallest() - after);
        }
        const auto n = rule_.over_all ? groups_.size() : covering_[j].size();
        const double loss = lost / static_cast<double>(n);
        const double score = rule_.by_gain ? gain : gain / (loss + 1.0);
        ++trace_.scored;
        if ((!best || score - best->score > kTie * best->score) && keeps_promises(j, candidate))
            best = Best{j, candidate, gain, loss, score};
    }

    // What breaks a promise now may keep it once other columns are refined, unless no part of a
    // class that breaks it keeps it.
    bool keeps_promises(size_t j, int32_t candidate) {
        for (PromisedClasses& each : promised_) {
            const Answer answer = each.covers(j) ? each.after(j, candidate) : Answer::holds;
            if (answer == Answer::breaks_for_good) columns_[j].close(candidate);
            if (answer != Answer::holds) return false;
        }
        return true;
    }

    void refine(const Best& best) {
        for (const Covering& each : covering_[best.column])
            groups_[each.requirement].divide(each.position, best.candidate);
        for (PromisedClasses& each : promised_)
            if (each.covers(best.column)) each.divide(best.column, best.candidate);
        const Refined refined = columns_[best.column].refine(best.candidate);
        for (const Covering& each : covering_[best.column])
            groups_[each.requirement].survey_divided(each.position);
        trace_.column.push_back(static_cast<int32_t>(best.column));
        trace_.value.push_back(refined.value);
        trace_.split.push_back(refined.split);
        trace_.gain.push_back(best.gain);
        trace_.loss.push_back(best.loss);
        trace_.score.push_back(best.score);
        meter_.advance(1);
    }

    std::vector<Column>& columns_;
    std::vector<Groups> groups_;             // by requirement
    std::vector<PromisedClasses> promised_;  // by set of columns; none where sizes are all
    std::vector<std::vector<Covering>> covering_;
    bool reachable_ = true;  // whether all records as one group are enough
    Rule rule_;
    Meter& meter_;
    Trace trace_;
};
}  // namespace

Trace tdr(std::vector<ColumnParts> parts, std::vector<Requirement> requirements,
          const Promises& promises, size_t n_classes, Rule rule, Meter& meter) {
    int64_t most = 0;
    for (const ColumnParts& each : parts)
        most = std::max(most, std::accumulate(each.margin.records.begin(),
                                              each.margin.records.end(), int64_t{0}));
    Weights weights(most);
    std::vector<Column> columns;
    for (ColumnParts& each : parts)
        columns.emplace_back(std::move(each), n_classes, rule.by_classes, rule.least_part, weights);
    std::vector<double> gain;
    std::vector<int32_t> split;
    for (const Column& each : columns) {
        gain.push_back(each.first_gain());
        split.push_back(each.first_split());
    }
    Trace trace = Search(columns, std::move(requirements), promises, rule, meter).run();
    trace.first_gain = std::move(gain);
    trace.first_split = std::move(split);
    return trace;
}
}  // namespace incrowd::refinement
