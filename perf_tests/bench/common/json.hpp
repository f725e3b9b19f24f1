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

/// What a results file tells beside its matrices.
struct ResultsHead {
  std::string operation;
  Machine machine;
  DeviceFigures figures;
  /// The command line; folders are cut off the names of files in it.
  std::vector<std::string> words;
  /// What the operation was asked for, beside the options that every operation has.
  Json settings;
};

/// All of a run as one document.
Json results_json(const ResultsHead& head, const RunOptions& options,
                  const std::vector<MatrixResult>& results);

/// Names that are not UTF-8 have U+FFFD for what is wrong in them. An indent of -1: on one line.
std::string json_text(const Json& json, int indent = 1);

}  // namespace heddle::bench
