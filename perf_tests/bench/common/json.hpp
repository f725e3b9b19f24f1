// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machine.hpp"
#include "results.hpp"
#include "run_options.hpp"

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

}  // namespace heddle::bench
