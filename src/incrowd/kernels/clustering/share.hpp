// Some records of one tuple: what classes are made of.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace incrowd {

struct Share {
    std::int32_t tuple;
    std::int64_t records;
    auto operator<=>(const Share&) const = default;
};

using Shares = std::vector<Share>;

}  // namespace incrowd
