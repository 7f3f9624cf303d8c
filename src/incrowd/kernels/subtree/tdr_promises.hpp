// The classes that requirements on values look at, while columns are refined.  Twin:
// tests/naive/tdr.py.
//
// Tuples lie class by class.  Whether a refinement may be made is asked of the parts that it would
// divide the classes into that show the refined value, and of no others: these hold already. Nobody
// is suppressed on the way, so all is compared with the whole table.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "requirements/requirements.hpp"
#include "subtree/tdr_columns.hpp"

namespace incrowd::refinement {
enum class Answer { holds, breaks, breaks_for_good };

// The classes over one of the sets of columns that requirements name.
class PromisedClasses {
  public:
    PromisedClasses(const Promises& promises, size_t view, const std::vector<Column>& columns)
        : promises_(promises), view_(static_cast<int32_t>(view)), columns_(columns),
          tuples_(promises.records.size()) {
        std::iota(tuples_.begin(), tuples_.end(), 0);
        classes_.push_back({0, tuples_.size()});
    }

    bool covers(size_t j) const {
        const auto& views = promises_.requirements->views();
        return views[static_cast<size_t>(view_)][promises_.position[j]] != 0;
    }

    // Whether every class that the refinement of a candidate of column j makes holds.
    Answer after(size_t j, int32_t candidate) {
        bool breaks = false;
        for (const Class& each : classes_) {
            if (!shows(each, j, candidate) || !set_parts(each, j, candidate)) continue;
            for (const auto& part : parts_) {
                const Answer answer = part.empty() ? Answer::holds : asked(part);
                if (answer == Answer::breaks_for_good) return answer;
                breaks |= answer == Answer::breaks;
            }
        }
        return breaks ? Answer::breaks : Answer::holds;
    }

    // Before the column itself is refined.
    void divide(size_t j, int32_t candidate) {
        for (size_t at = 0, n = classes_.size(); at < n; ++at) {
            if (!shows(classes_[at], j, candidate) || !set_parts(classes_[at], j, candidate))
                continue;
            size_t from = classes_[at].begin;
            bool first = true;
            for (const auto& part : parts_) {
                if (part.empty()) continue;
                std::ranges::copy(part, tuples_.begin() + static_cast<std::ptrdiff_t>(from));
                const Class made{from, from + part.size()};
                if (first) classes_[at] = made;
                else classes_.push_back(made);
                first = false;
                from = made.end;
            }
        }
    }

  private:
    struct Class {
        size_t begin, end;
    };

    const int32_t* codes(size_t j) const {
        return promises_.codes.data() + j * promises_.records.size();
    }

    bool shows(const Class& each, size_t j, int32_t candidate) const {
        const int32_t value = columns_[j].kind() == Kind::disclosure ? 0 : candidate;
        return columns_[j].value_of(codes(j)[tuples_[each.begin]]) == value;
    }

    // Sorts the tuples of a class by what they would show; whether that divides it.
    bool set_parts(const Class& each, size_t j, int32_t candidate) {
        const Column& column = columns_[j];
        const bool disclosed = column.kind() == Kind::disclosure;
        const size_t n = column.n_children(candidate);
        if (parts_.size() < n) parts_.resize(n);
        for (auto& part : parts_) part.clear();
        size_t largest = 0;
        for (size_t at = each.begin; at < each.end; ++at) {
            const int32_t code = codes(j)[tuples_[at]];
            const int32_t child = disclosed ? code == candidate : column.child_of()[code];
            auto& part = parts_[static_cast<size_t>(child)];
            part.push_back(tuples_[at]);
            largest = std::max(largest, part.size());
        }
        return largest < each.end - each.begin;
    }

    Answer asked(const std::vector<int32_t>& part) {
        const Requirements& all = *promises_.requirements;
        int64_t records = 0;
        for (const int32_t tuple : part) records += promises_.records[tuple];
        int32_t collected = kNoSpread;
        bool breaks = false;
        for (const Asked& each : all.asked()) {
            if (each.view != view_) continue;
            if (each.spread != kNoSpread && each.spread != collected) {
                collect(part, all.spreads()[static_cast<size_t>(each.spread)]);
                collected = each.spread;
            }
            if (all.holds(each, *each.form, records, cells_, cells_of_part_)) continue;
            if (each.form->falls_apart()) return Answer::breaks_for_good;
            breaks = true;
        }
        return breaks ? Answer::breaks : Answer::holds;
    }

    void collect(const std::vector<int32_t>& part, const Spread& spread) {
        const std::vector<int32_t>& kind = promises_.requirements->kind();
        cells_.clear();
        for (const int32_t tuple : part)
            cells_.push_back({spread.key(kind[tuple]), promises_.records[tuple]});
        gather(cells_);
    }

    const Promises& promises_;
    int32_t view_;
    const std::vector<Column>& columns_;
    std::vector<int32_t> tuples_;
    std::vector<Class> classes_;
    std::vector<std::vector<int32_t>> parts_;  // of the class at hand
    std::vector<Kinds> cells_;
    std::vector<Cell> cells_of_part_;
};
}  // namespace incrowd::refinement
