// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json.hpp"

namespace heddle::bench {

/// A run's document as CSV, one line for each contestant: perf_tests/results/README.md lists the
/// columns. Facts of a matrix other than its name are only in the JSON.
std::string csv_text(const Json& run);

/// The fields of a line; fields in double quotes may hold commas.
std::vector<std::string> csv_fields(std::string_view line);

/// The remaining lines of a file, each by the column names, which the first line has. Throws
/// std::out_of_range for a line with too many fields.
std::vector<std::map<std::string, std::string>> csv_lines(std::istream& file);

}  // namespace heddle::bench
