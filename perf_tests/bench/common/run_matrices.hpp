// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "json.hpp"
#include "progress.hpp"

namespace heddle::bench {

/// What an operation does with one matrix, and how it tells about it.
struct MatrixRun {
  std::string operation;
  std::function<MatrixResult(const Source&, Progress&)> run;
  std::function<void(std::ostream&, const MatrixResult&, const DeviceFigures&)> print;
  /// Settings of the operation's own, for the JSON.
  Json settings;
};

/// Runs every matrix of the options, prints its table, and rewrites JSON and CSV behind each
/// (behind the last, where they go to a device or pipe). Returns an ExitCode: a matrix that fails
/// is told and does not stop the others. Throws heddle::Error where there is none, and where a file
/// cannot be written, before anything runs.
int run_matrices(const MatrixRun& run, const RunOptions& options,
                 const std::vector<std::string>& words);

}  // namespace heddle::bench
