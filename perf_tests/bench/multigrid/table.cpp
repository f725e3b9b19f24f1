// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include "../common/steadiness.hpp"
#include "../common/table.hpp"

namespace heddle::bench {

namespace {

/// Over the time of a cycle.
std::string cycles(const Samples& samples, const ContestantResult& c) {
  return samples.empty() ? "-" : format("%.3g", samples.median() / c.time.median());
}

void print_row(std::ostream& out, const ContestantResult& c, int width) {
  out << format("  %-*s", width, c.name.c_str());
  if (!c.timed()) {
    out << "  not run: " << c.note << '\n';
    return;
  }
  out << format("%11s", duration(c.setup.median()).c_str())
      << format("%9s", cycles(c.setup, c).c_str())
      << format("%12s", optional_duration(c.update).c_str())
      << format("%9s", cycles(c.update, c).c_str())
      << format("%11s", duration(c.time.median()).c_str())
      << format("%8s", spread_of(c.time).c_str())
      << format("%12s", c.iterations ? std::to_string(*c.iterations).c_str() : "-")
      << format("%11s", c.bytes > 0 ? bytes(c.bytes).c_str() : "-") << remarks(c) << '\n';
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

}  // namespace

void print_hierarchies(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
                       const MultigridRequest& request) {
  out << '\n'
      << result.name << ": "
      << format("%lld rows, %lld entries, ", static_cast<long long>(result.rows.rows),
                static_cast<long long>(result.rows.nonzeros))
      << result.choice_reason << "; " << request.method_name
      << format(" to %g\n\n", request.limits.tolerance);
  const int width = name_width(result);
  out << format("  %-*s%11s%9s%12s%9s%11s%8s%12s%11s\n", width, "", "setup", "cycles", "new values",
                "cycles", "cycle", "spread", "iterations", "kept");
  print_each(out, result, [&](const ContestantResult& c) { print_row(out, c, width); });
  for (const ContestantResult& c : result.contestants) print_levels(out, c);
  print_steadiness(out, result);
  out.flush();
}

std::string hierarchies_help() {
  return "columns of the table:\n"
         "  setup       median of the repeated set-ups: all levels\n"
         "  new values  all levels from new values of the same pattern\n"
         "  cycles      either over the time of a cycle\n"
         "  cycle       one V cycle from zero\n"
         "  spread      the range of the middle half of these times over their median\n"
         "  iterations  of a solve with it by --method\n"
         "  kept        device memory that it holds beside the matrix\n"
         "of levels:\n"
         "  time        of a cycle that starts there, less that of one that starts on the next\n"
         "  runs        the scheme of the product with its matrix, and the smoother\n";
}

}  // namespace heddle::bench
