// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "machine.hpp"
#include "options.hpp"
#include "results.hpp"

namespace heddle::bench {

using Json = nlohmann::ordered_json;

/// Version of the layout that results.schema.json describes; raised when a reader must change.
inline constexpr int json_schema_version = 2;

/// Contents of a results file other than its matrices.
struct ResultsHead {
  std::string operation;
  Machine machine;
  DeviceFigures figures;
  /// The command line; file names in it lose their folders.
  std::vector<std::string> words;
  /// Settings of the operation's own, without the options that every operation has.
  Json settings;
};

/// A whole run as one document.
Json results_json(const ResultsHead& head, const RunOptions& options,
                  const std::vector<MatrixResult>& results);

/// The text of a document, on one line for an indent of -1. Invalid UTF-8 in names becomes U+FFFD.
std::string json_text(const Json& json, int indent = 1);

/// A run's document as CSV, one line for each contestant: perf_tests/results/README.md lists the
/// columns. Facts of a matrix other than its name are only in the JSON.
std::string csv_text(const Json& run);

/// The fields of a line; fields in double quotes may hold commas.
std::vector<std::string> csv_fields(std::string_view line);

/// The remaining lines of a file, each by the column names, which the first line has. Throws
/// std::out_of_range for a line with too many fields.
std::vector<std::map<std::string, std::string>> csv_lines(std::istream& file);

}  // namespace heddle::bench
