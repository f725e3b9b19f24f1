// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include "../common/run_contest.hpp"
#include "request.hpp"
#include "table.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, IluRequest& r) {
  app.add_option("--factors", r.factors, "lu, or cholesky: of the lower triangle")
      ->check(CLI::IsMember({"lu", "cholesky"}))
      ->capture_default_str();
  app.add_option("--level", r.fill_level, "Of fill that is kept")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_option("--block", r.block_size, "Rows of a block, all of which is kept")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--subdomains", r.subdomains, "Runs of rows between which entries are dropped")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--pivot-floor", r.pivot_floor, "Magnitude that smaller pivots get")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--keep", r.keep, "Factors: in the same type, or in float")
      ->check(CLI::IsMember({"same", "float"}))
      ->capture_default_str();
  app.add_flag("--solve", r.solve,
               "Also time conjugate gradients to 1e-8 from zero, of one column; their setup is all "
               "that is done before");
  r.define_contest(app,
                   "Schemes, or \"auto\" (what a plan chooses), or \"all\". An apply is "
                   "timed beside them");
  r.define_columns(app, "b and x");
  r.define(app);
}

int run(const IluRequest& request, const std::vector<std::string>& words) {
  Json settings;
  settings["factors"] = request.factors;
  settings["fill_level"] = request.fill_level;
  settings["block_size"] = request.block_size;
  settings["subdomains"] = request.subdomains;
  settings["pivot_floor"] = request.pivot_floor;
  settings["keep"] = request.keep;
  settings["solve"] = request.solve;
  if (request.solve && request.columns > 1) {
    throw Error("--solve is of one column", "leave out --columns");
  }
  return run_contest("ilu", request, settings, print_factors, words);
}

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench ilu --generate grid2d:1000\n"
    "  heddle-bench ilu --matrix A.mtx --factors cholesky --level 1 --scheme auto\n"
    "  heddle-bench ilu --matrix A.mtx --keep float --json out.json\n\n";

}  // namespace

Operation ilu_operation() {
  return contest_operation<IluRequest>(
      "ilu",
      "Incomplete factors: every scheme of Heddle beside the sequential program, and an apply",
      define, run, factors_help() + examples,
      [](std::ostream& out) { list_schemes_and_baselines<IluRequest>(out, "ilu"); });
}

}  // namespace heddle::bench
