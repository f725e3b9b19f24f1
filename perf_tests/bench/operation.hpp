// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace heddle::bench {

enum ExitCode { all_well = 0, wrong_result = 1, bad_input = 2, device_trouble = 3, slower = 4 };

/// A subcommand of heddle-bench.
struct Operation {
  std::string name, description;
  /// Adds its options.
  std::function<void(CLI::App&)> define = [](CLI::App&) {};
  /// Whether it runs anything on a device.
  bool needs_device = true;
  /// Runs it, with Kokkos initialized if it needs a device; its argument is the command line word
  /// by word. Returns an ExitCode. A heddle::Error is reported as bad input, any other exception as
  /// trouble with the device.
  std::function<int(const std::vector<std::string>& words)> run;
  /// Text that is printed after CLI11's own for --help, which would break its lines differently.
  std::string help = {};
  /// Prints the names that this build knows, for `heddle-bench list`; works without a device.
  std::function<void(std::ostream&)> list = [](std::ostream&) {};
};

// The subcommands, each in the folder of its name.
Operation spmv_operation();
Operation sptrsv_operation();
Operation ilu_operation();
Operation gs_operation();
Operation solve_operation();
Operation convert_operation();
Operation multiply_operation();
Operation multigrid_operation();
Operation lobpcg_operation();
Operation sgd_operation();
Operation features_operation();
Operation device_operation();
Operation compare_operation();
Operation train_operation();

// The subcommands of perf_tests/studies/, which a build has with HEDDLE_BENCH_STUDIES.
Operation read_operation();
Operation vectors_operation();
Operation cliffs_operation();

}  // namespace heddle::bench
