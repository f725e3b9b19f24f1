// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include "../common/steadiness.hpp"
#include "../common/table.hpp"

namespace heddle::bench {

namespace {

/// What is timed: of factorizations nothing, apply or cg.
std::string kind(const ContestantResult& c) {
  for (const char* other : {"apply", "cg"}) {
    if (c.name.ends_with(other)) return other;
  }
  return "";
}

/// The fastest baseline that does the same; null where there is none.
const ContestantResult* peer_of(const MatrixResult& result, const ContestantResult& c) {
  const ContestantResult* found = nullptr;
  for (const ContestantResult& peer : result.contestants) {
    if (!c.is_scheme || peer.is_scheme || !peer.timed() || !peer.right()) continue;
    if (kind(peer) != kind(c)) continue;
    if (!found || peer.time.median() < found->time.median()) found = &peer;
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
  const double time = c.time.median();
  const ContestantResult* const peer = peer_of(result, c);
  out << format("%11s", duration(c.setup.median()).c_str())
      << format("%9s", factor(c.setup.median() / time).c_str())
      << format("%11s", duration(time).c_str()) << format("%8s", spread_of(c.time).c_str())
      << format("%11s", bytes(c.bytes).c_str())
      << format("%9s", peer ? (factor(peer->time.median() / time) + "x").c_str() : "-")
      << remarks(c) << '\n';
}

}  // namespace

void print_factors(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
                   const IluRequest& request) {
  out << '\n'
      << result.name << ": " << (request.cholesky() ? "IC(" : "ILU(") << request.fill_level << "), "
      << result.rows.rows << " rows, " << result.rows.nonzeros << " entries";
  if (request.block_size > 1) out << ", blocks of " << request.block_size;
  if (request.subdomains > 1) out << ", " << request.subdomains << " subdomains";
  if (request.in_float()) out << ", kept in float";
  if (!result.choice_reason.empty()) out << "\n  " << result.choice_reason;
  out << "\n\n";
  const int width = name_width(result);
  out << format("  %-*s%11s%9s%11s%8s%11s%9s\n", width, "", "setup", "times", "time", "spread",
                "kept", "vs peer");
  print_each(out, result, [&](const ContestantResult& c) { print_row(out, result, c, width); });
  print_steadiness(out, result);
  out.flush();
}

std::string factors_help() {
  return "columns of the table:\n"
         "  setup    median of the repeated inspections, each with a first factorization\n"
         "  times    the setup over the time\n"
         "  time     new factors of the same pattern; of apply, both triangular solves\n"
         "  spread   the range of the middle half of these times over their median\n"
         "  kept     what stands beside the matrix then\n"
         "  vs peer  time of the fastest baseline that does the same over this time\n";
}

}  // namespace heddle::bench
