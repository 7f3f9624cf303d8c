// What the bindings of all searches use that ask requirements.
#pragma once

#include "core/binding.hpp"
#include "requirements/requirements.hpp"

namespace incrowd {
// Checks that requirements are about the tuples of a table, over all its columns.
void check_about(const char* kernel, const Requirements& requirements, const Table& table);
// The same for some of its columns, or others made of them: `position` says which they are.
void check_about(const char* kernel, const Requirements& requirements,
                 std::span<const int64_t> records, std::span<const int64_t> position);
}  // namespace incrowd
