// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../operation.hpp"
#include "instances.hpp"
#include "json.hpp"
#include "table.hpp"

namespace heddle::bench {

/// Options of an operation's own, each of which is a setting in its results.
class Settings {
 public:
  explicit Settings(CLI::App& app) : app_(&app) {}

  /// Adds the option --NAME; its setting has that name, or `key`.
  template <class T>
  CLI::Option* option(const std::string& name, T& value, const std::string& about,
                      std::string key = "") {
    tell(name, value, std::move(key));
    return app_->add_option("--" + name, value, about)->capture_default_str();
  }
  void flag(const std::string& name, bool& value, const std::string& about) {
    tell(name, value, "");
    app_->add_flag("--" + name, value, about);
  }
  CLI::App& app() { return *app_; }

  /// The settings after the command line was read.
  Json json() const {
    Json told = Json::object();
    for (const auto& [key, value] : told_) told[key] = value();
    return told;
  }

 private:
  template <class T>
  void tell(std::string name, const T& value, std::string key) {
    std::replace(name.begin(), name.end(), '-', '_');
    told_.emplace_back(key.empty() ? name : std::move(key), [&value] { return Json(value); });
  }

  CLI::App* app_;
  std::vector<std::pair<std::string, std::function<Json()>>> told_;
};

/// Throws Error if a name that is asked for is neither known nor one of the words.
template <class Known>
void check_names(const std::vector<std::string>& asked, const std::string& what,
                 const std::vector<std::string>& words, const std::vector<Known>& known) {
  std::vector<std::string> names = words;
  for (const Known& one : known) names.push_back(one.name);
  for (const std::string& name : asked) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string list;
    for (const std::string& one : names) list += (list.empty() ? "" : ", ") + one;
    throw Error("\"" + name + "\" is no " + what, "use one of " + list);
  }
}

/// Prints names and descriptions for `heddle-bench list`.
template <class Known>
void list_names(std::ostream& out, const std::string& title, const std::vector<Known>& known) {
  out << title << ":\n";
  for (const Known& one : known) {
    out << format("  %-20s%s\n", one.name.c_str(), one.description.c_str());
  }
  out << '\n';
}

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
/// matrix, if a file cannot be written, or if HEDDLE_BENCH_ARRAY_MB is no number of MB.
int run_matrices(const MatrixRun& run, const RunOptions& options,
                 const std::vector<std::string>& words);

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
  void (*prepare)(Request&) = nullptr;
  /// Lists names other than those of schemes and baselines.
  void (*list)(std::ostream&) = nullptr;
  /// Prints what follows the table and its warning.
  void (*print_more)(std::ostream&, const MatrixResult&, Request&) = nullptr;
};

/// The columns and their layout, if there are several: the end of the first line of a table.
inline std::string columns_text(const ContestOptions& request) {
  return request.columns == 1
             ? ""
             : ", " + std::to_string(request.columns) + " columns, layout " + request.layout;
}

template <class Request>
int run_contest(const ContestOperation<Request>& of, Request& request, const Json& settings,
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
    print_steadiness(out, result);
    if (of.print_more) of.print_more(out, result, request);
    out.flush();
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
    if (of.prepare) of.prepare(*request);
    return run_contest(of, *request, (*settings)->json(), words);
  };
  operation.help = matrix_help() + "\n" + timing_help() + "\n" + of.help;
  operation.list = [=](std::ostream& out) {
    if (of.list) of.list(out);
    list_schemes_and_baselines<Request>(out, of.name);
  };
  return operation;
}

}  // namespace heddle::bench
