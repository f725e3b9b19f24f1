// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include "../common/steadiness.hpp"
#include "../common/table.hpp"

namespace heddle::bench {

namespace {

/// The bytes of the product, or the least of the sweeps, over the time, in GB/s.
double rate_of(const MatrixResult& result, const ContestantResult& c) {
  if (c.name != product_name) return result.gbytes_per_second(c);
  return 1e-9 * static_cast<double>(c.moved_bytes) / c.time.median();
}

const ContestantResult* find_product(const MatrixResult& result) {
  for (const ContestantResult& c : result.contestants) {
    if (c.name == product_name && c.timed()) return &c;
  }
  return nullptr;
}

/// The fastest verified baseline, which sweeps row after row; null where there is none.
const ContestantResult* peer_of(const MatrixResult& result, const ContestantResult& c) {
  const ContestantResult* found = nullptr;
  if (!c.is_scheme || c.name == product_name) return nullptr;
  for (const ContestantResult& peer : result.contestants) {
    if (peer.is_scheme || !peer.timed() || peer.verdict != Verdict::ok) continue;
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
  const double rate = rate_of(result, c);
  const ContestantResult* const product = find_product(result);
  const ContestantResult* const peer = peer_of(result, c);
  out << format("%11s", duration(c.setup.median()).c_str())
      << format("%9s", factor(c.setup.median() / time).c_str())
      << format("%11s", duration(time).c_str()) << format("%8s", spread_of(c.time).c_str())
      << format("%8.1f", rate)
      << format("%8.0f%%", product ? 100 * rate / rate_of(result, *product) : 0)
      << format("%11s", bytes(c.bytes).c_str())
      << format("%9s", peer ? (factor(peer->time.median() / time) + "x").c_str() : "-")
      << remarks(c) << '\n';
}

}  // namespace

void print_sweeps(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
                  const GsRequest& request) {
  out << '\n' << result.name << ": ";
  if (request.sweeps > 1) out << request.sweeps << ' ';
  out << request.sweep_name << (request.sweeps > 1 ? " sweeps" : " sweep") << " from "
      << (request.from_zero() ? "zero" : "a guess");
  if (request.omega != 1) out << ", omega " << request.omega;
  if (request.block_size > 1) out << ", blocks of " << request.block_size;
  out << ", " << result.rows.rows << " rows, " << result.rows.nonzeros << " entries";
  if (request.columns > 1) {
    out << ", " << request.columns << " columns, layout " << request.layout;
  }
  if (!result.choice_reason.empty()) out << "\n  " << result.choice_reason;
  out << "\n\n";
  const int width = name_width(result);
  out << format("  %-*s%11s%9s%11s%8s%8s%9s%11s%9s\n", width, "", "setup", "times", "time",
                "spread", "GB/s", "product", "kept", "vs peer");
  print_each(out, result, [&](const ContestantResult& c) { print_row(out, result, c, width); });
  print_steadiness(out, result);
  out.flush();
}

std::string sweeps_help() {
  return "columns of the table:\n"
         "  setup    median of the repeated inspections\n"
         "  times    the setup over the time\n"
         "  time     all sweeps, nothing queued before\n"
         "  spread   the range of the middle half of these times over their median\n"
         "  GB/s     the least bytes over the time: a side of the matrix a half sweep, from a "
         "guess\n"
         "           one side more, and the vectors; whatever the contestant really moves\n"
         "  product  that rate over the rate of our own product A b\n"
         "  kept     what stands beside the matrix then\n"
         "  vs peer  time of the fastest baseline that was verified over this time\n";
}

}  // namespace heddle::bench
