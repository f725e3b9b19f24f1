// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include "../common/run_contest.hpp"
#include "request.hpp"
#include "table.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, GsRequest& r) {
  app.add_option("--sweep", r.sweep_name, "forward, backward, or symmetric: both")
      ->check(CLI::IsMember({"forward", "backward", "symmetric"}))
      ->capture_default_str();
  app.add_option("--start", r.start, "zero, or guess: what is in x is improved")
      ->check(CLI::IsMember({"zero", "guess"}))
      ->capture_default_str();
  app.add_option("--sweeps", r.sweeps, "That are timed together, from a guess")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--omega", r.omega, "Relaxation, of more than 0 and less than 2")
      ->capture_default_str();
  app.add_option("--block", r.block_size, "Rows of a block, which are solved for together")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  r.define_contest(app,
                   "Schemes, or \"auto\" (what a plan chooses), \"multicolor\" (the same "
                   "in the order of colors), or \"all\". A product is timed beside them");
  r.define_columns(app, "b and x");
  r.define(app);
}

int run(const GsRequest& request, const std::vector<std::string>& words) {
  if (request.from_zero() && request.sweeps > 1) {
    throw Error("from zero one sweep is timed", "say --start guess, or leave out --sweeps");
  }
  Json settings;
  settings["sweep"] = request.sweep_name;
  settings["start"] = request.start;
  settings["sweeps"] = request.sweeps;
  settings["omega"] = request.omega;
  settings["block_size"] = request.block_size;
  return run_contest("gs", request, settings, print_sweeps, words);
}

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench gs --generate grid2d:1000\n"
    "  heddle-bench gs --matrix A.mtx --sweep forward --start guess --omega 1.5\n"
    "  heddle-bench gs --matrix A.mtx --scheme auto multicolor --json out.json\n\n";

}  // namespace

Operation gs_operation() {
  return contest_operation<GsRequest>(
      "gs", "Sweeps of Gauss-Seidel, SOR and SSOR: every scheme of Heddle beside every baseline",
      define, run, sweeps_help() + examples,
      [](std::ostream& out) { list_schemes_and_baselines<GsRequest>(out, "gs"); });
}

}  // namespace heddle::bench
