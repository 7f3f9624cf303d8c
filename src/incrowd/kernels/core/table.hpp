// A table as kernels take it: its distinct tuples, checked once, when it is made.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/integers.hpp"
#include "core/tuples.hpp"

namespace incrowd {
// One more than the largest code; nothing if one is negative.
std::optional<int64_t> size_of(std::span<const int32_t> codes);

class Table {
  public:
    // Looks at everything and throws if it is damaged.  Copies nothing: `owner` keeps the arrays
    // alive, and nobody may write into them any more.
    Table(Tuples tuples, size_t columns, std::shared_ptr<const void> owner);

    const Tuples& tuples() const { return tuples_; }
    size_t size() const { return tuples_.size(); }
    int64_t n_records() const { return n_records_; }
    size_t columns() const { return sizes_.size(); }
    // By column: all codes are below.
    const std::vector<int64_t>& sizes() const { return sizes_; }

  private:
    Tuples tuples_;
    std::vector<int64_t> sizes_;
    int64_t n_records_ = 0;
    std::shared_ptr<const void> owner_;
};
}  // namespace incrowd
