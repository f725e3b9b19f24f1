// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../operation.hpp"
#include "instances.hpp"
#include "matrix_options.hpp"
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

/// A subcommand that does so: define(app, request) adds its options, run(request, words) calls
/// run_contest. `help` is what stands behind that of the matrices.
template <class Request>
Operation contest_operation(const std::string& name, const std::string& description,
                            void (*define)(CLI::App&, Request&),
                            int (*run)(const Request&, const std::vector<std::string>&),
                            const std::string& help, std::function<void(std::ostream&)> list) {
  const auto request = std::make_shared<Request>();
  Operation operation;
  operation.name = name;
  operation.description = description;
  operation.define = [request, define](CLI::App& app) { define(app, *request); };
  operation.run = [request, run](const std::vector<std::string>& words) {
    return run(*request, words);
  };
  operation.help = matrix_help() + "\n" + help;
  operation.list = std::move(list);
  return operation;
}

}  // namespace heddle::bench
