// What the bindings of all searches use that ask requirements.
#pragma once

#include "core/binding.hpp"
#include "requirements/requirements.hpp"

namespace incrowd {
void check_about(const char* kernel, const Requirements& requirements, const Table& table);
}  // namespace incrowd
