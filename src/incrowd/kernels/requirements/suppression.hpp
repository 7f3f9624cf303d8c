// Which records are suppressed so that every class that is left meets every requirement.
//
// In rounds, all requirements at once, compared with all records of the table: the classes that
// violate fall, until none does.  A class falls as a whole also where only a part of it violates
// that an attacker knows apart: a decision releases classes, or does not, and knows of no such
// parts.  If the fallen hold everything as a class, they can be masked, and that is all. Otherwise
// they leave the table: the reference becomes that of the rest, the rounds go on from there, and
// nothing is masked any more.  Twin: tests/naive/suppression.py.
#pragma once

#include "requirements/requirements.hpp"

namespace incrowd {
// Tuples, or what they were merged to.
struct Items {
    std::span<const int64_t> records;
    std::span<const int32_t> kind;
};

// The classes over one of the sets of columns that requirements name.
struct View {
    std::vector<int32_t> class_of;  // by item
    int32_t classes = 0;
    int32_t root = -1;  // the class whose cells are all `*`, which masked records join; -1: none
};

struct Fallen {
    std::vector<uint8_t> items;
    int64_t records = 0;
    bool dropped = false;                // they hold nothing as a class, or may not stay
    int64_t certain = 0;                 // at least so many fall at every specialisation too
    std::vector<uint8_t> certain_items;  // among them certainly these
};

class Suppression {
  public:
    // `masks`: whether fallen records may stay in the table as a class of their own.
    Suppression(const Requirements& requirements, Items items, std::vector<View> views, bool masks);

    // `already` fallen items count as such from the start.  Beyond `limit` fallen records nobody
    // needs to know which they are.
    Fallen run(int64_t limit, std::span<const uint8_t> already = {});
    // Whether each class of the first view holds everything, with nobody suppressed.
    std::vector<uint8_t> violating();
    // Sets `certain` and `certain_items`, if at most `limit` records may fall.
    void find_certain(int64_t limit, Fallen& fallen);

  private:
    // The items of a view by class.
    struct Sorted {
        std::vector<int32_t> start, items;
    };
    using Forms = std::vector<std::unique_ptr<Form>>;
    using Chosen = std::vector<uint8_t>;  // by requirement

    void collect(const Sorted& sorted, size_t at, const Spread& spread,
                 std::span<const uint8_t> dead);
    int64_t living(const Sorted& sorted, size_t at, std::span<const uint8_t> dead) const;
    template <typename Found>
    void each_violating(size_t r, const Form& form, std::span<const uint8_t> dead,
                        std::span<const uint8_t> dirty, const Found& found);
    enum class Falls { classes, known_parts };
    bool round(const Forms* forms, const Chosen& chosen, int64_t limit, Fallen& fallen,
               Falls falls = Falls::classes);
    void mark_dirty(const std::vector<int32_t>& items);
    bool fallen_hold(const Fallen& fallen);
    bool holds_as_class(size_t r, std::span<const uint8_t> inside);
    Forms referring_to_rest(const Fallen& fallen) const;

    const Requirements& requirements_;
    Items items_;
    std::vector<View> views_;
    std::vector<Sorted> sorted_;               // by view
    std::vector<std::vector<uint8_t>> dirty_;  // by view and class: not looked at since it changed
    bool masks_;
    // Room to work in.
    std::vector<Kinds> cells_;
    std::vector<Cell> part_;
    std::vector<int64_t> tally_;    // by key; zeros between classes
    std::vector<int32_t> falling_;  // items
};
}  // namespace incrowd
