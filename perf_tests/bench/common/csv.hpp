// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json.hpp"

namespace heddle::bench {

/// A run's document as CSV, a line a contestant: perf_tests/results/README.md has the columns.
/// What it has of a matrix beside its name is for the JSON.
std::string csv_text(const Json& run);

/// The fields of a line; those in double quotes may hold commas.
std::vector<std::string> csv_fields(std::string_view line);

/// The lines from here on, of which the first names the columns: each by those names. Throws
/// std::out_of_range for a line with more fields.
std::vector<std::map<std::string, std::string>> csv_lines(std::istream& file);

}  // namespace heddle::bench
