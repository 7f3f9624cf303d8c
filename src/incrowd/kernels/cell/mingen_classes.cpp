// Lists the classes of a small multiset by growing them item by item.
//
// Items come in descending order of their records, so that the first members that hold k make one
// half; where the others hold k as well the class is dividable, and so is whatever contains it.
// With one record to an item that leaves the classes of k to 2k - 1.
// Cost: O(classes x columns x members).
#include "cell/mingen_classes.hpp"

#include <algorithm>
#include <bit>

namespace incrowd {
Packing::Packing(std::span<const int64_t> copies) {
    int used = 0;
    for (size_t item = 0; item < copies.size(); ++item) {
        const int width = std::bit_width(static_cast<uint64_t>(copies[item]));
        const int taken = width > 1 ? width + 1 : 1;
        if (used + taken > 64) {
            fits_ = false;
            return;
        }
        shift_.push_back(used);
        mask_.push_back((uint64_t{1} << width) - 1);
        item_of_.resize(static_cast<size_t>(used + taken), item);
        all_ |= static_cast<uint64_t>(copies[item]) << used;
        if (width > 1) spare_ |= uint64_t{1} << (used + width);
        else single_ |= uint64_t{1} << used;
        used += taken;
    }
}

namespace {
struct Member {
    size_t item;
    int64_t amount, records, half;  // records so far, and of the first half
    uint64_t word;
};

class Growing {
  public:
    Growing(const SmallItems& items, const Packing& packing, size_t most, Meter& meter)
        : items_(items), packing_(packing), most_(most), meter_(meter), after_(items.size() + 1) {
        for (size_t item = items.size(); item-- > 0;)
            after_[item] = after_[item + 1] + items.copies[item] * items.records[item];
    }

    std::vector<SmallClass> run() {
        size_t item = 0;
        for (bool open = true; open;) {
            if (item < items_.size() && reaches(item)) {
                push(item, 1);
            } else {
                open = back();
                if (!open) break;
            }
            if (!settle()) return {};
            item = dividable_ ? items_.size() : chosen_.back().item + 1;
        }
        return std::move(found_);
    }

  private:
    bool reaches(size_t item) const {
        return (chosen_.empty() ? 0 : chosen_.back().records) + after_[item] >= items_.k;
    }

    void push(size_t item, int64_t amount) {
        const Member before = chosen_.empty() ? Member{0, 0, 0, 0, 0} : chosen_.back();
        const int64_t records = items_.records[item];
        const int64_t lacking = std::max<int64_t>(0, items_.k - before.half);
        const int64_t taken = std::min(amount, lacking / records + (lacking % records != 0));
        chosen_.push_back({item, amount, before.records + amount * records,
                           before.half + taken * records,
                           before.word + static_cast<uint64_t>(amount) * packing_.one(item)});
    }

    // The next class that does not begin with all the members at hand; false after the last.
    bool back() {
        while (!chosen_.empty()) {
            const Member last = chosen_.back();
            chosen_.pop_back();
            // More copies of what made it dividable, or the next item in its place.
            if (last.amount < items_.copies[last.item] && last.records - last.half < items_.k) {
                push(last.item, last.amount + 1);
                return true;
            }
            if (last.item + 1 < items_.size() && reaches(last.item + 1)) {
                push(last.item + 1, 1);
                return true;
            }
        }
        return false;
    }

    // Takes down the class at hand, if it is one; false if there are too many.
    bool settle() {
        const Member& last = chosen_.back();
        dividable_ = last.records - last.half >= items_.k;
        if (dividable_ || last.records < items_.k) return true;
        const int64_t others = after_[0] - last.records;
        if (others > 0 && others < items_.k) return true;  // they would be too few
        if (found_.size() == most_) return false;
        found_.push_back({last.word, cost()});
        if (found_.size() % 4096 == 0) meter_.advance(4096);
        return true;
    }

    int64_t cost() const {
        const size_t n = items_.size();
        int64_t sum = 0;
        for (size_t j = 0; j < items_.n_columns; ++j) {
            const int32_t* with = &items_.levels[(j * n + chosen_.front().item) * n];
            int32_t level = 0;
            for (const Member& each : chosen_) level = std::max(level, with[each.item]);
            const int64_t* price =
                &items_.prices[(j * items_.n_levels + static_cast<size_t>(level)) * n];
            for (const Member& each : chosen_) sum += each.amount * price[each.item];
        }
        return sum;
    }

    const SmallItems& items_;
    const Packing& packing_;
    const size_t most_;
    Meter& meter_;
    std::vector<int64_t> after_;  // records of an item and all behind it
    std::vector<Member> chosen_;
    std::vector<SmallClass> found_;
    bool dividable_ = false;
};
}  // namespace

std::vector<SmallClass> undivided_classes(const SmallItems& items, const Packing& packing,
                                          size_t most, Meter& meter) {
    return Growing(items, packing, most, meter).run();
}
}  // namespace incrowd
