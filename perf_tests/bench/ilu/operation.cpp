// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include "../common/run_contest.hpp"
#include "../common/table.hpp"
#include "request.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, IluRequest& r) {
  app.add_option("--factors", r.factors, "lu, or cholesky: of the lower triangle")
      ->check(CLI::IsMember({"lu", "cholesky"}))
      ->capture_default_str();
  app.add_option("--level", r.fill_level, "Level of fill that is kept")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_option("--block", r.block_size, "Rows of a block, all of which is kept")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--subdomains", r.subdomains, "Ranges of rows; entries between them are dropped")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--pivot-floor", r.pivot_floor,
                 "Smallest magnitude of a pivot; smaller ones are raised")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--keep", r.keep, "Factors: in the same type, or in float")
      ->check(CLI::IsMember({"same", "float"}))
      ->capture_default_str();
  app.add_flag(
      "--solve", r.solve,
      "Also time conjugate gradients to 1e-8 from zero, for one column; their setup includes "
      "the factors");
  r.define_contest(app,
                   "Schemes, or \"auto\" (what a plan chooses), or \"all\". An apply is "
                   "timed beside them");
  r.define_columns(app, "b and x");
  r.define(app);
}

/// What is timed: of factorizations nothing, apply or cg.
std::string kind(const ContestantResult& c) {
  for (const char* other : {"apply", "cg"}) {
    if (c.name.ends_with(other)) return other;
  }
  return "";
}

void print(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
           const IluRequest& request) {
  out << '\n'
      << result.name << ": " << (request.cholesky() ? "IC(" : "ILU(") << request.fill_level << "), "
      << result.rows.rows << " rows, " << result.rows.nonzeros << " entries";
  if (request.block_size > 1) out << ", blocks of " << request.block_size;
  if (request.subdomains > 1) out << ", " << request.subdomains << " subdomains";
  if (request.in_float()) out << ", kept in float";
  if (!result.choice_reason.empty()) out << "\n  " << result.choice_reason;
  out << "\n\n";
  print_rows(out, result,
             {setup_column(),
              setups_column("times"),
              time_column(),
              spread_column(),
              kept_column(),
              {"vs peer", 9, [&](const ContestantResult& c) {
                 return against(fastest(result,
                                        [&](const ContestantResult& peer) {
                                          return c.is_scheme && !peer.is_scheme &&
                                                 kind(peer) == kind(c);
                                        }),
                                c);
               }}});
  print_steadiness(out, result);
  out.flush();
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
  return run_contest("ilu", request, settings, print, words);
}

constexpr const char* help =
    "columns of the table:\n"
    "  setup    median of the repeated inspections, each with a first factorization\n"
    "  times    the setup over the time\n"
    "  time     new factors of the same pattern; of apply, both triangular solves\n"
    "  spread   the range of the middle half of these times over their median\n"
    "  kept     memory kept beside the matrix\n"
    "  vs peer  time of the fastest baseline that does the same over this time\n"
    "\nexamples:\n"
    "  heddle-bench ilu --generate grid2d:1000\n"
    "  heddle-bench ilu --matrix A.mtx --factors cholesky --level 1 --scheme auto\n"
    "  heddle-bench ilu --matrix A.mtx --keep float --json out.json\n\n";

}  // namespace

Operation ilu_operation() {
  return contest_operation<IluRequest>(
      "ilu",
      "Incomplete factors: every scheme of Heddle beside the sequential program, and an apply",
      define, run, help,
      [](std::ostream& out) { list_schemes_and_baselines<IluRequest>(out, "ilu"); });
}

}  // namespace heddle::bench
