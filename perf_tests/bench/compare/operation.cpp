// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include <iostream>
#include <memory>

#include "../../../core/error.hpp"
#include "comparison.hpp"

namespace heddle::bench {

namespace {

struct Request {
  std::string before, after;
  std::vector<std::string> names;
  double least = 0.02;
  bool all = false;
};

void print_head(const char* title, const KeptRun& run) {
  std::cout << title << run.operation << " on " << run.device << ", " << run.settings << ", commit "
            << run.commit << ", " << run.date << '\n';
}

int run(const Request& request) {
  const KeptRun before = read_run(request.before), after = read_run(request.after);
  if (before.operation != after.operation || before.settings != after.settings) {
    throw Error(request.before + " and " + request.after +
                    " are of different work: " + before.operation + ", " + before.settings +
                    "; and " + after.operation + ", " + after.settings,
                "compare runs of one operation with the same settings");
  }
  const Comparison comparison = compare(before, after, request.names, request.least);
  if (comparison.changes.empty()) {
    throw Error("no contestant ran on the same matrix in both files",
                "see their names with report/summary.py, or leave --name out");
  }
  print_head("before: ", before);
  print_head("after:  ", after);
  if (before.device != after.device) std::cout << "The machines differ.\n";
  std::cout << '\n';
  print(std::cout, comparison, request.all);
  return comparison.any_slower() ? slower : all_well;
}

constexpr const char* help =
    "A time counts as slower or faster where it differs by more than the margin: the larger "
    "spread\n"
    "of both (the range of the middle half over the median; of results without it, half the whole\n"
    "range), and --least. heddle-bench ends with 4 where anything is slower.\n\n"
    "example:\n"
    "  heddle-bench compare before.json after.csv --name auto\n\n";

}  // namespace

Operation compare_operation() {
  const auto request = std::make_shared<Request>();
  const auto define = [request](CLI::App& app) {
    app.add_option("before", request->before, "Results to compare with")->required();
    app.add_option("after", request->after, "Results to judge")->required();
    app.add_option("--name", request->names, "These contestants alone, such as auto")
        ->type_name("NAME");
    app.add_option("--least", request->least, "Share of a time below which no difference counts")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    app.add_flag("--all", request->all, "Print every contestant, not only those that differ");
  };
  return {.name = "compare",
          .description = "Two results of heddle-bench, JSON or CSV: what is slower or faster",
          .define = define,
          .needs_device = false,
          .run = [request](const std::vector<std::string>&) { return run(*request); },
          .help = help};
}

}  // namespace heddle::bench
