// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include "../common/known_names.hpp"
#include "../common/run_contest.hpp"
#include "../common/table.hpp"
#include "make_multigrid.hpp"
#include "table.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, MultigridRequest& r) {
  app.add_option("--strength", r.options.strength, "Above which an entry is strong")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--block", r.options.block_size, "Rows of a node; elasticity knows it")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--degree", r.options.degree, "Of polynomials, or sweeps; 0: 2, of sweeps 1")
      ->check(CLI::Range(0, 4))
      ->capture_default_str();
  app.add_option("--coarsest-rows", r.options.coarsest_rows, "Rows at most that are inverted")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--expected-applies", r.options.expected_applies,
                 "How often plans expect to be applied")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--method", r.method_name, "cg or gmres, which solves to count iterations")
      ->check(CLI::IsMember({"cg", "gmres"}))
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
  r.define_contest(app, "Smoothers, \"auto\" for the default, or \"all\"");
  r.define(app);
}

int run(const MultigridRequest& request, const std::vector<std::string>& words) {
  check_names(request.schemes, "multigrid", {"auto", "all"}, known_hierarchies());
  Json settings;
  settings["strength"] = request.options.strength;
  settings["block_size"] = request.options.block_size;
  settings["degree"] = request.options.degree;
  settings["coarsest_rows"] = request.options.coarsest_rows;
  settings["expected_applies"] = request.options.expected_applies;
  settings["method"] = request.method_name;
  settings["tolerance"] = request.limits.tolerance;
  settings["max_iterations"] = request.limits.max_iterations;
  settings["excess"] = request.excess;
  return run_contest("multigrid", request, settings, print_hierarchies, words);
}

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench multigrid --generate poisson3d:60 elasticity:20\n"
    "  heddle-bench multigrid --generate convection:60 --method gmres --scheme auto\n"
    "  heddle-bench multigrid --set multigrid --folder ~/matrices --json out.json\n\n";

void list(std::ostream& out) {
  list_names(out, "schemes of multigrid", known_hierarchies());
  list_baselines<MultigridRequest>(out, "multigrid");
}

}  // namespace

Operation multigrid_operation() {
  return contest_operation<MultigridRequest>(
      "multigrid", "Multigrid: set-up, new values, cycles, level by level", define, run,
      hierarchies_help() + examples, list);
}

}  // namespace heddle::bench
