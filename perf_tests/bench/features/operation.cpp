// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include <iostream>
#include <memory>

#include "../../../formats/inspect/pattern_features.hpp"
#include "../common/launch_timing.hpp"
#include "../common/load.hpp"
#include "../common/matrix_options.hpp"
#include "../common/table.hpp"

namespace heddle::bench {

namespace {

struct Request {
  MatrixOptions matrices;
  int block = 2;
  int repetitions = 0;
};

/// What the features take, from launch to result on the host.
template <class Exec, class Matrix>
void print_times(const Exec& exec, const Matrix& A, int repetitions) {
  const auto [row, checked, pattern] = median_microseconds(
      exec, repetitions, [&] { row_features(exec, A); },
      [&] { row_features(exec, A, Check::columns); }, [&] { pattern_features(exec, A); });
  std::cout << "row features " << duration(1e-6 * row) << ", with the check of columns "
            << duration(1e-6 * checked) << ", pattern features " << duration(1e-6 * pattern)
            << std::endl;
}

void print_features(const Source& source, const Request& request) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const Exec exec;
  const auto host = load<double, std::int64_t>(source, request.matrices.seed).matrix;
  const auto device = host.copy_to<Exec::memory_space>(exec);
  exec.fence("heddle::bench::copied");
  std::cout << source.short_name() << '\n'
            << pattern_features(exec, device.matrix(), request.block) << std::endl;
  if (request.repetitions > 0) print_times(exec, device.matrix(), request.repetitions);
}

}  // namespace

Operation features_operation() {
  const auto request = std::make_shared<Request>();
  Operation operation;
  operation.name = "features";
  operation.description = "Features of matrices, as docs/features.md defines them";
  operation.define = [request](CLI::App& app) {
    request->matrices.define(app);
    app.add_option("--block", request->block, "Rows and columns of the blocks that are counted")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--repeat", request->repetitions,
                   "Also time them: medians of this number of runs of a millisecond; 0: do not")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
  };
  operation.run = [request](const std::vector<std::string>&) -> int {
    int code = all_well;
    for (const Source& source : request->matrices.sources()) {
      try {
        print_features(source, *request);
      } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        code = bad_input;
      }
    }
    return code;
  };
  operation.help = matrix_help() + "\n";
  return operation;
}

}  // namespace heddle::bench
