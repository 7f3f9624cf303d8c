// What a class must hold, bound to its table: one form per kind of requirement.
//
// A form looks at a class as its number of records and the cells of one carried column: which value
// how often, ascending by value, without zeros.  It is asked by every search, one class at a time,
// and changes nothing.  All comparisons are exact: shares are fractions of whole numbers, products
// of counts are 128 bits wide (the border checks that they fit), logarithms are compared by
// exact_logarithms.hpp.  Twins: tests/naive/requirements.py.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/integers.hpp"

namespace incrowd {
using Wide = __int128;

struct Cell {
    int32_t value;
    int64_t records;
};
using Cells = std::span<const Cell>;

// A number as it was written: 0.2 is 1/5.
struct Fraction {
    int64_t above, below;  // below is 1 or more
};

class Form {
  public:
    virtual ~Form() = default;
    virtual bool holds(int64_t records, Cells cells) const = 0;

    // At most so many records of the class can be together in parts that hold, whatever else is
    // suppressed, as long as at most `dropped` records leave the table; all of them if that cannot
    // be told.  Only asked of classes that do not hold.
    virtual int64_t largest_part(int64_t records, Cells, int64_t /*dropped*/) const {
        return records;
    }
    // Whether every part of a class that does not hold does not hold either.
    virtual bool falls_apart() const { return false; }
    // Whether two classes that hold also hold together.
    virtual bool unites() const { return true; }
    // Compares with the shares of these records from now on: by value, over the whole table.
    virtual void refer_to(std::span<const int64_t>) {}
    virtual bool refers() const { return false; }
    virtual std::unique_ptr<Form> copy() const = 0;
};

// The part of `Form` that every form writes in the same words.
template <typename Own>
class FormOf : public Form {
  public:
    std::unique_ptr<Form> copy() const override {
        return std::make_unique<Own>(static_cast<const Own&>(*this));
    }
};

// The largest n for which `possible(n)`, if that is so for all smaller n and for 0.
template <typename Possible>
int64_t largest_possible(int64_t most, const Possible& possible) {
    int64_t least = 0;
    while (least < most) {
        const int64_t middle = least + (most - least + 1) / 2;
        if (possible(middle)) least = middle;
        else most = middle - 1;
    }
    return least;
}
}  // namespace incrowd
