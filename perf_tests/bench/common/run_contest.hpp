// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instances.hpp"
#include "run_matrices.hpp"

namespace heddle::bench {

/// Runs an operation on every matrix by the instance that was asked for; `settings` are those of
/// the request that no other operation has, print(out, result, figures, request) tells of one
/// matrix. Returns an ExitCode.
template <class Request, class Print>
int run_contest(const std::string& operation, const Request& request, const Json& settings,
                const Print& print, const std::vector<std::string>& words) {
  const Instance<Request>& instance = find_instance(request);
  check_baselines(request, instance);
  MatrixRun run;
  run.operation = operation;
  run.run = [&](const Source& source, Progress& progress) {
    return instance.run(request, source, progress);
  };
  run.print = [&](std::ostream& out, const MatrixResult& result, const DeviceFigures& figures) {
    print(out, result, figures, request);
  };
  run.settings = {{"scalar", request.scalar},
                  {"offset_bits", request.offset_bits},
                  {"columns", request.columns},
                  {"layout", request.layout}};
  run.settings.update(settings);
  return run_matrices(run, request, words);
}

}  // namespace heddle::bench
