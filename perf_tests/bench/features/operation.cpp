// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include <iostream>
#include <memory>

#include "../../../formats/inspect/pattern_features.hpp"
#include "../common/load.hpp"
#include "../common/matrix_options.hpp"

namespace heddle::bench {

namespace {

struct Request {
  MatrixOptions matrices;
  int block = 2;
};

void print_features(const Source& source, const Request& request) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const Exec exec;
  const auto host = load<double, std::int64_t>(source, request.matrices.seed).matrix;
  const auto device = host.copy_to<Exec::memory_space>(exec);
  exec.fence("heddle::bench::copied");
  std::cout << source.short_name() << '\n'
            << pattern_features(exec, device.matrix(), request.block) << std::endl;
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
