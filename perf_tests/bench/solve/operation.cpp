// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include "../common/known_names.hpp"
#include "../common/run_contest.hpp"
#include "../common/table.hpp"
#include "table.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, SolveRequest& r) {
  app.add_option("--method", r.method_name, "cg, bicgstab or gmres")
      ->check(CLI::IsMember({"cg", "bicgstab", "gmres"}))
      ->capture_default_str();
  app.add_option("--restart", r.restart, "Iterations after which gmres is restarted")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--tolerance", r.limits.tolerance, "Of the residual, relative to b")
      ->check(CLI::Range(1e-15, 0.1))
      ->capture_default_str();
  app.add_option("--max-iterations", r.limits.max_iterations, "Products at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--excess", r.excess,
                 "Of a Laplacian that is made of a pattern: the diagonal over the other entries' "
                 "magnitudes, less 1")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--block", r.block, "Rows of a block of block-jacobi")
      ->check(CLI::Range(1, 32))
      ->capture_default_str();
  app.add_option("--subdomains", r.subdomains, "Runs of rows between which entries are dropped")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--expected-applies", r.expected_applies, "How often plans expect to be applied")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  r.define_contest(app, "Preconditioners of Heddle, or \"all\" that go with the method");
  r.define(app);
}

int run(const SolveRequest& request, const std::vector<std::string>& words) {
  check_names(request.schemes, "preconditioner", {"all"}, known_preconditioners());
  Json settings;
  settings["method"] = request.method_name;
  settings["restart"] = request.restart;
  settings["tolerance"] = request.limits.tolerance;
  settings["max_iterations"] = request.limits.max_iterations;
  settings["excess"] = request.excess;
  settings["block"] = request.block;
  settings["subdomains"] = request.subdomains;
  settings["expected_applies"] = request.expected_applies;
  return run_contest("solve", request, settings, print_whole_solves, words);
}

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench solve --generate grid2d:300\n"
    "  heddle-bench solve --set solve-general --folder ~/matrices --method gmres --csv out.csv\n"
    "  heddle-bench solve --matrix A.mtx --scheme jacobi ic0 --baseline program --repeat 5\n\n";

void list(std::ostream& out) {
  list_names(out, "preconditioners of solve", known_preconditioners());
  list_baselines<SolveRequest>(out, "solve");
}

}  // namespace

Operation solve_operation() {
  return contest_operation<SolveRequest>(
      "solve",
      "Whole solves by a Krylov method: every preconditioner of Heddle beside other libraries",
      define, run, whole_solves_help() + examples, list);
}

}  // namespace heddle::bench
