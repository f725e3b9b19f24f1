// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../operation.hpp"
#include "instances.hpp"
#include "matrix_options.hpp"
#include "run_matrices.hpp"
#include "settings.hpp"

namespace heddle::bench {

/// A subcommand that runs schemes and baselines on every matrix, by the requested instance.
template <class Request>
struct ContestOperation {
  std::string name, description;
  /// Adds the operation's own options.
  void (*define)(Settings&, Request&);
  /// Prints the results of one matrix.
  void (*print)(std::ostream&, const MatrixResult&, const DeviceFigures&, const Request&);
  /// Text that follows the help of the matrices.
  std::string help;
  /// Reads and checks, before anything runs, what single options cannot; throws Error.
  void (*prepare)(Request&) = [](Request&) {};
  /// Lists names other than those of schemes and baselines.
  void (*list)(std::ostream&) = [](std::ostream&) {};
};

template <class Request>
int run_contest(const ContestOperation<Request>& of, const Request& request, const Json& settings,
                const std::vector<std::string>& words) {
  const Instance<Request>& instance = find_instance(request);
  check_baselines(request, instance);
  MatrixRun run;
  run.operation = of.name;
  run.run = [&](const Source& source, Progress& progress) {
    return instance.run(request, source, progress);
  };
  run.print = [&](std::ostream& out, const MatrixResult& result, const DeviceFigures& figures) {
    of.print(out, result, figures, request);
  };
  run.settings = {{"scalar", request.scalar},
                  {"offset_bits", request.offset_bits},
                  {"columns", request.columns},
                  {"layout", request.layout}};
  run.settings.update(settings);
  return run_matrices(run, request, words);
}

template <class Request>
Operation operation_of(const ContestOperation<Request>& of) {
  const auto request = std::make_shared<Request>();
  const auto settings = std::make_shared<std::optional<Settings>>();
  Operation operation;
  operation.name = of.name;
  operation.description = of.description;
  operation.define = [=](CLI::App& app) {
    of.define(settings->emplace(app), *request);
    request->define(app);
  };
  operation.run = [=](const std::vector<std::string>& words) {
    of.prepare(*request);
    return run_contest(of, *request, (*settings)->json(), words);
  };
  operation.help = matrix_help() + "\n" + of.help;
  operation.list = [=](std::ostream& out) {
    of.list(out);
    list_schemes_and_baselines<Request>(out, of.name);
  };
  return operation;
}

}  // namespace heddle::bench
