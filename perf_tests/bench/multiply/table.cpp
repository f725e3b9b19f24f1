// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include "../common/steadiness.hpp"
#include "../common/table.hpp"

namespace heddle::bench {

namespace {

double once(const ContestantResult& c) { return c.setup.median() + c.time.median(); }
double again(const ContestantResult& c) { return c.time.median(); }

/// How many times as fast as the fastest baseline by what `seconds` says, or "-".
template <class Seconds>
std::string against(const MatrixResult& result, const ContestantResult& c, const Seconds& seconds) {
  double fastest = 0;
  for (const ContestantResult& peer : result.contestants) {
    if (!c.is_scheme || peer.is_scheme || !peer.timed() || !peer.right()) continue;
    if (fastest == 0 || seconds(peer) < fastest) fastest = seconds(peer);
  }
  return fastest > 0 ? factor(fastest / seconds(c)) + "x" : "-";
}

void print_row(std::ostream& out, const MatrixResult& result, const ContestantResult& c,
               int width) {
  out << format("  %-*s", width, c.name.c_str());
  if (!c.timed()) {
    out << "  not run: " << c.note << '\n';
    return;
  }
  out << format("%11s", duration(c.setup.median()).c_str())
      << format("%11s", duration(again(c)).c_str()) << format("%8s", spread_of(c.time).c_str())
      << format("%11s", duration(once(c)).c_str())
      << format("%11s", c.bytes > 0 ? bytes(c.bytes).c_str() : "-")
      << format("%9s", against(result, c, again).c_str())
      << format("%9s", against(result, c, once).c_str()) << remarks(c) << '\n';
}

}  // namespace

void print_products(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
                    const MultiplyRequest& request) {
  const RowFeatures& f = result.rows;
  out << '\n'
      << result.name << ": " << request.product << ", A " << f.rows << " x " << f.columns
      << " with " << f.nonzeros << " entries\n  " << result.choice_reason << "\n\n";
  const int width = name_width(result);
  out << format("  %-*s%11s%11s%8s%11s%11s%9s%9s\n", width, "", "symbolic", "numeric", "spread",
                "once", "kept", "numeric", "once");
  print_each(out, result, [&](const ContestantResult& c) { print_row(out, result, c, width); });
  print_steadiness(out, result);
  out.flush();
}

std::string products_help() {
  return "columns of the table:\n"
         "  symbolic  median of the repeated setups: all but values\n"
         "  numeric   the values of the product, of patterns that stay\n"
         "  spread    the range of the middle half of these times over their median\n"
         "  once      symbolic and numeric\n"
         "  kept      what stands then, the product among it\n"
         "  numeric, once  time of the fastest baseline over this time: above 1 is faster\n";
}

}  // namespace heddle::bench
