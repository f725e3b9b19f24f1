// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/run_contest.hpp"
#include "problem.hpp"

namespace heddle::bench {

namespace {

void define(Settings& settings, IluRequest& r) {
  settings.option("factors", r.factors, "lu, or cholesky: of the lower triangle")
      ->check(CLI::IsMember({"lu", "cholesky"}));
  settings.option("level", r.options.fill_level, "Level of fill that is kept", "fill_level")
      ->check(CLI::Range(0, 100));
  settings
      .option("block", r.options.block_size, "Rows of a block, all of which is kept", "block_size")
      ->check(CLI::Range(1, 64));
  settings
      .option("subdomains", r.options.subdomains,
              "Ranges of rows; entries between them are dropped")
      ->check(CLI::PositiveNumber);
  settings
      .option("pivot-floor", r.options.pivot_floor,
              "Smallest magnitude of a pivot; smaller ones are raised")
      ->check(CLI::NonNegativeNumber);
  settings.option("keep", r.keep, "Factors: in the same type, or in float")
      ->check(CLI::IsMember({"same", "float"}));
  settings.flag(
      "solve", r.solve,
      "Also time conjugate gradients to 1e-8 from zero, for one column; their setup includes "
      "the factors");
  r.define_contest(settings.app(),
                   "Schemes, or \"auto\" (what a plan chooses), or \"all\". An apply is "
                   "timed beside them");
  r.define_columns(settings.app(), "b and x");
}

/// The timed work: "" for a factorization, "apply" or "cg".
std::string kind(const ContestantResult& c) {
  for (const char* other : {"apply", "cg"}) {
    if (c.name.ends_with(other)) return other;
  }
  return "";
}

void print(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
           const IluRequest& request) {
  out << '\n'
      << result.name << ": " << (request.cholesky() ? "IC(" : "ILU(") << request.options.fill_level
      << "), " << result.rows.rows << " rows, " << result.rows.nonzeros << " entries";
  if (request.options.block_size > 1) out << ", blocks of " << request.options.block_size;
  if (request.options.subdomains > 1) out << ", " << request.options.subdomains << " subdomains";
  if (request.keep == "float") out << ", kept in float";
  if (!result.choice_reason.empty()) out << "\n  " << result.choice_reason;
  out << "\n\n";
  print_rows(out, result,
             {setup_column(), setups_column("times"), time_column(), spread_column(), kept_column(),
              peer_column([&](const ContestantResult& c) {
                return fastest(result, [&](const ContestantResult& peer) {
                  return c.is_scheme && !peer.is_scheme && kind(peer) == kind(c);
                });
              })});
}

void prepare(IluRequest& request) {
  if (request.keep == "float") request.options.factor_values = FactorValues::single_precision;
  if (request.solve && request.columns > 1) {
    throw Error("--solve needs one column", "leave out --columns");
  }
}

constexpr const char* help =
    "matrices:\n"
    "  A missing or zero diagonal entry is set to one more than the magnitudes of its row and "
    "column.\n\n"
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
  return operation_of<IluRequest>(
      {"ilu",
       "Incomplete factors: every scheme of Heddle beside the sequential program, and an apply",
       define, print, help, prepare});
}

}  // namespace heddle::bench
