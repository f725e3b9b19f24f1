// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "machine.hpp"
#include "request.hpp"
#include "results.hpp"

namespace heddle::bench {

/// Version of the layout that results.schema.json describes; raised when a reader must change.
inline constexpr int json_schema_version = 1;

/// All of a run, as one JSON document; folders are cut off the names of matrix files.
std::string to_json(const Machine& machine, const DeviceFigures& figures,
                    const SpmvRequest& request, const std::vector<std::string>& command_line,
                    const std::vector<MatrixResult>& results);

/// Writes `text` to `path` in one step: a reader finds the old file or the new one, whole.
void replace_file(const std::string& path, const std::string& text);

}  // namespace heddle::bench
