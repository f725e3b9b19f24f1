// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include "../common/steadiness.hpp"
#include "../common/table.hpp"

namespace heddle::bench {

namespace {

double whole(const ContestantResult& c) { return c.setup.median() + c.time.median(); }

/// What contestants are compared by: the word before a dash of a preconditioner's name, which
/// stands behind that of a baseline's library. Factors without fill are alike, by Cholesky or not.
std::string kind(const ContestantResult& c) {
  std::string name = c.is_scheme ? c.name : c.name.substr(c.name.find('-') + 1);
  name = name.substr(0, name.find('-'));
  return name.starts_with("ic") ? "ilu" + name.substr(2) : name;
}

/// The one of the least time in all, of those that `counts`; null of none.
template <class Counts>
const ContestantResult* fastest(const MatrixResult& result, const Counts& counts) {
  const ContestantResult* found = nullptr;
  for (const ContestantResult& c : result.contestants) {
    if (!c.timed() || !c.right() || !counts(c)) continue;
    if (!found || whole(c) < whole(*found)) found = &c;
  }
  return found;
}

void print_row(std::ostream& out, const MatrixResult& result, const ContestantResult& c,
               int width) {
  out << format("  %-*s", width, c.name.c_str());
  if (!c.timed()) {
    out << "  not run: " << c.note << '\n';
    return;
  }
  const auto* const peer = fastest(result, [&](const ContestantResult& other) {
    return c.is_scheme && !other.is_scheme && kind(other) == kind(c);
  });
  const int iterations = *c.iterations;
  out << format("%11s", duration(c.setup.median()).c_str())
      << format("%11s", optional_duration(c.update).c_str()) << format("%12d", iterations)
      << format("%14s", iterations > 0 ? duration(c.time.median() / iterations).c_str() : "-")
      << format("%11s", duration(c.time.median()).c_str())
      << format("%8s", spread_of(c.time).c_str()) << format("%11s", duration(whole(c)).c_str())
      << format("%9s", peer ? (factor(whole(*peer) / whole(c)) + "x").c_str() : "-") << remarks(c)
      << '\n';
}

}  // namespace

void print_whole_solves(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
                        const SolveRequest& request) {
  out << '\n'
      << result.name << ": " << request.method_name
      << format(" to %g, %lld rows, %lld entries, ", request.limits.tolerance,
                static_cast<long long>(result.rows.rows),
                static_cast<long long>(result.rows.nonzeros))
      << result.choice_reason << "\n\n";
  const int width = name_width(result);
  out << format("  %-*s%11s%11s%12s%14s%11s%8s%11s%9s\n", width, "", "setup", "factor",
                "iterations", "an iteration", "solve", "spread", "with setup", "vs peer");
  print_each(out, result, [&](const ContestantResult& c) { print_row(out, result, c, width); });
  const auto* const ours = fastest(result, [](const auto& c) { return c.is_scheme; });
  const auto* const peer = fastest(result, [](const auto& c) { return !c.is_scheme; });
  if (ours) out << "\n  fastest with setup: " << ours->name << ", " << duration(whole(*ours));
  if (ours && peer) out << "; of peers " << peer->name << ", " << duration(whole(*peer));
  out << '\n';
  print_steadiness(out, result);
  out.flush();
}

std::string whole_solves_help() {
  return "columns of the table:\n"
         "  setup         median of the repeated set-ups: plan of the matrix, preconditioner, "
         "solver\n"
         "  factor        the preconditioner again, for new values of the same pattern\n"
         "  iterations    products with the matrix, except those that compute a residual\n"
         "  an iteration  the solve over the iterations\n"
         "  solve         median of whole solves from zero\n"
         "  spread        the range of the middle half of these times over their median\n"
         "  with setup    setup and one solve\n"
         "  vs peer       this time of the fastest baseline with the same kind of preconditioner "
         "(none, "
         "jacobi,\n"
         "                ssor, factors of the same level) over this one's\n";
}

}  // namespace heddle::bench
