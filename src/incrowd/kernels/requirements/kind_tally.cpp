#include "requirements/kind_tally.hpp"

#include <algorithm>

namespace incrowd {
KindTally::KindTally(const Requirements& requirements)
    : requirements_(requirements), tally_(requirements.kinds(), 0) {
    // Among more records there can be others of whom something else is known.
    const auto is_known = [&](const Asked& asked) {
        return asked.spread != kNoSpread &&
               !requirements.spreads()[static_cast<size_t>(asked.spread)].known.empty();
    };
    more_never_harms_ = std::ranges::all_of(requirements.asked(), [&](const Asked& asked) {
        return asked.form->falls_apart() && !is_known(asked);
    });
}

void KindTally::clear() {
    for (const int32_t kind : present_) tally_[static_cast<size_t>(kind)] = 0;
    present_.clear();
}

bool KindTally::hold_so_far(int64_t records) {
    int32_t collected = kNoSpread;  // requirements on the same column mostly follow each other
    for (const Asked& asked : requirements_.asked()) {
        if (asked.spread != kNoSpread && asked.spread != collected) {
            collect(requirements_.spreads()[static_cast<size_t>(asked.spread)]);
            collected = asked.spread;
        }
        if (!requirements_.holds(asked, *asked.form, records, cells_, part_)) return false;
    }
    return true;
}

// Sets cells_ to those of the class: ascending by key, and kinds of one key together.
void KindTally::collect(const Spread& spread) {
    cells_.clear();
    for (const int32_t kind : present_)
        cells_.push_back({spread.key(kind), tally_[static_cast<size_t>(kind)]});
    gather(cells_);
}
}  // namespace incrowd
