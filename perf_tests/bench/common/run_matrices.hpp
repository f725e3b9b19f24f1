// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "json.hpp"
#include "progress.hpp"

namespace heddle::bench {

/// The run of an operation on one matrix, and the printing of its result.
struct MatrixRun {
  std::string operation;
  std::function<MatrixResult(const Source&, Progress&)> run;
  std::function<void(std::ostream&, const MatrixResult&, const DeviceFigures&)> print;
  /// Settings of the operation's own, for the JSON.
  Json settings;
};

/// Runs every matrix of the options, prints its table, and rewrites JSON and CSV after each (after
/// the last only, if they go to a device or a pipe). Returns an ExitCode: a matrix that fails is
/// reported and does not stop the others. Throws heddle::Error before anything runs if there is no
/// matrix or a file cannot be written.
int run_matrices(const MatrixRun& run, const RunOptions& options,
                 const std::vector<std::string>& words);

}  // namespace heddle::bench
