// The integers that kernels count in, by their short names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace incrowd {
using std::int16_t, std::uint16_t, std::uint8_t;
using std::int32_t, std::int64_t, std::uint32_t, std::uint64_t;
using std::size_t;
}  // namespace incrowd
