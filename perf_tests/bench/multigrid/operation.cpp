// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/plans.hpp"
#include "../common/run_contest.hpp"
#include "problem.hpp"

namespace heddle::bench {

namespace {

void define(Settings& settings, MultigridRequest& r) {
  settings.option("strength", r.options.strength, "Threshold above which an entry is strong")
      ->check(CLI::Range(0.0, 1.0));
  settings
      .option("strength-measure", r.strength_measure,
              "automatic, magnitude or evolution, by which an entry is strong")
      ->check(CLI::IsMember(detail::word_list<MultigridMeasure>()));
  settings
      .option("improve-candidates", r.options.improve_candidates,
              "Sweeps that relax near-nullspace vectors; -1: as needed")
      ->check(CLI::Range(-1, 100));
  settings
      .option("block", r.options.block_size, "Rows of a node; elasticity sets it", "block_size")
      ->check(CLI::Range(1, 64));
  settings
      .option("degree", r.options.degree,
              "Degree of polynomials, or number of sweeps; 0: degree 2, one sweep")
      ->check(CLI::Range(0, 4));
  settings
      .option("coarsest-rows", r.options.coarsest_rows,
              "Maximal number of rows of a level that is inverted")
      ->check(CLI::NonNegativeNumber);
  settings
      .option("expected-applies", r.options.expected_applies, "Number of applies that plans assume")
      ->check(CLI::PositiveNumber);
  settings.option("method", r.method_name, "cg or gmres, which solves to count iterations")
      ->check(CLI::IsMember({"cg", "gmres"}));
  r.define_limits(settings);
  r.define_contest(settings.app(),
                   "Smoothers, kinds and cycles (heddle-bench list names them), \"auto\" for the "
                   "default, or \"all\"");
}

/// The median of `samples` over the time of a cycle.
std::string cycles(const Samples& samples, const ContestantResult& c) {
  return samples.empty() ? "-" : format("%.3g", samples.median() / time_of(c));
}

void print_levels(std::ostream& out, const ContestantResult& c) {
  if (c.levels.empty()) return;
  out << "\n  levels of " << c.name << ":\n"
      << format("  %5s%12s%14s%11s%11s  %s\n", "", "rows", "entries", "kept", "time", "runs");
  int l = 0;
  for (const LevelResult& level : c.levels) {
    out << format("  %5d%12lld%14lld%11s%11s  ", l++, static_cast<long long>(level.rows),
                  static_cast<long long>(level.entries), bytes(level.bytes).c_str(),
                  duration(level.seconds).c_str())
        << level.scheme << ", " << level.smoother << '\n';
  }
}

void print(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
           const MultigridRequest& request) {
  out << '\n'
      << result.name << ": "
      << format("%lld rows, %lld entries, ", static_cast<long long>(result.rows.rows),
                static_cast<long long>(result.rows.nonzeros))
      << result.choice_reason << "; " << request.method_name
      << format(" to %g\n\n", request.limits.tolerance);
  print_rows(out, result,
             {setup_column(),
              {"cycles", 9, [](const ContestantResult& c) { return cycles(c.setup, c); }},
              update_column("new values", 12),
              {"cycles", 9, [](const ContestantResult& c) { return cycles(c.update, c); }},
              time_column("cycle"),
              spread_column(),
              {"iterations", 12,
               [](const ContestantResult& c) {
                 return c.iterations ? std::to_string(*c.iterations) : "-";
               }},
              known_bytes_column()});
  for (const ContestantResult& c : result.contestants) print_levels(out, c);
}

void prepare(MultigridRequest& request) {
  check_names(request.schemes, "multigrid", {"auto", "all"}, known_hierarchies());
  request.options.strength_measure =
      detail::value_of<MultigridMeasure>("--strength-measure", request.strength_measure);
}

constexpr const char* help =
    "columns of the table:\n"
    "  setup       median of the repeated set-ups: all levels\n"
    "  new values  all levels from new values of the same pattern\n"
    "  cycles      either over the time of a cycle\n"
    "  cycle       one cycle from zero, a V cycle unless the scheme names another\n"
    "  spread      the range of the middle half of these times over their median\n"
    "  iterations  of a solve with it by --method\n"
    "  kept        device memory that it holds beside the matrix\n"
    "of levels:\n"
    "  time        of a cycle that starts there, less that of one that starts on the next\n"
    "  runs        the scheme of the product with its matrix, and the smoother\n"
    "\nexamples:\n"
    "  heddle-bench multigrid --generate poisson3d:60 elasticity:20\n"
    "  heddle-bench multigrid --generate convection:60 --method gmres --scheme auto\n"
    "  heddle-bench multigrid --set multigrid --folder ~/matrices --json out.json\n\n";

void list(std::ostream& out) { list_names(out, "schemes of multigrid", known_hierarchies()); }

}  // namespace

Operation multigrid_operation() {
  return operation_of<MultigridRequest>({"multigrid",
                                         "Multigrid: set-up, new values, cycles, level by level",
                                         define, print, help, prepare, list});
}

}  // namespace heddle::bench
