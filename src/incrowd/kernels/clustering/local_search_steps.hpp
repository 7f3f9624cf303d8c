// What the searches on the classes of a bucket share: where a step starts, and whether it stays.
#pragma once

#include <algorithm>

#include "clustering/local_search_classes.hpp"
#include "clustering/local_search_moves.hpp"
#include "core/random.hpp"

namespace incrowd {
class SearchSteps {
  protected:
    SearchSteps(EditableClasses& classes, int64_t k, uint64_t seed, const StepJudge& judge)
        : classes_(classes), k_(k), random_(seed), judge_(judge) {}

    // Takes steps until so many cells were looked at.  One may lose a little at first, up to a
    // share of what a class costs, less and less so, and nothing in the end.
    template <typename Step>
    void explore(uint64_t work, int64_t share, const std::function<void()>& tick,
                 const Step& step) {
        const uint64_t begin = classes_.work();
        int64_t alive = 0;
        for (int32_t c = 0; c < classes_.n_classes(); ++c) alive += classes_.alive(c);
        if (alive == 0) return;
        const int64_t hottest = classes_.total() / alive / share;
        for (uint64_t done = 0; done < work; done = classes_.work() - begin) {
            tick();
            tolerance_ = static_cast<int64_t>(
                static_cast<double>(hottest) *
                (static_cast<double>(work - done) / static_cast<double>(work)));
            classes_.spend(64);  // so that a step that finds nothing to do comes to an end too
            step();
        }
        tolerance_ = 0;
    }

    // Keeps the step if it gained enough and nobody objects.
    bool settle() {
        const int64_t least =
            tolerance_ > 0 ? -static_cast<int64_t>(random_.below(static_cast<uint64_t>(tolerance_)))
                           : 1;
        if (classes_.gained() < least || (judge_ && !judge_(classes_.touched()))) return abandon();
        classes_.commit();
        return true;
    }

    bool abandon() {
        classes_.roll_back();
        return false;
    }

    // Of a few records at random, the one whose class costs most.
    int32_t costly_item() {
        int32_t found = -1;
        for (int tasting = 0; tasting < kTastings; ++tasting) {
            const auto item = static_cast<int32_t>(random_.below(classes_.n_items()));
            if (found < 0 || classes_.unit_cost(classes_.class_of(item)) >
                                 classes_.unit_cost(classes_.class_of(found)))
                found = item;
        }
        return found;
    }

    EditableClasses& classes_;
    int64_t k_;
    Random random_;
    const StepJudge& judge_;
    int64_t tolerance_ = 0;  // a step may lose less than this

  private:
    static constexpr int kTastings = 3;
};
}  // namespace incrowd
