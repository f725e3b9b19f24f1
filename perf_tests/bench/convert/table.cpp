// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include "../common/steadiness.hpp"
#include "../common/table.hpp"

namespace heddle::bench {

namespace {

/// Of the baselines that make the same form, the fastest; null where there is none.
const ContestantResult* peer_of(const MatrixResult& result, const ContestantResult& c, int block) {
  const std::string size = std::to_string(block);
  const bool blocks = c.name == "bcsr/" + size + "x" + size;
  if (!c.is_scheme || (!blocks && c.name != "transpose")) return nullptr;
  const ContestantResult* found = nullptr;
  for (const ContestantResult& peer : result.contestants) {
    if (peer.is_scheme || !peer.timed() || !peer.right()) continue;
    if (!peer.name.ends_with(blocks ? "-bsr" : "-csc")) continue;
    if (!found || peer.time.median() < found->time.median()) found = &peer;
  }
  return found;
}

void print_row(std::ostream& out, const MatrixResult& result, const ContestantResult& c, int width,
               int block) {
  out << format("  %-*s", width, c.name.c_str());
  if (!c.timed()) {
    out << "  not run: " << c.note << '\n';
    return;
  }
  const double time = c.time.median();
  std::string count = "-", allocating = "-", rest = "-";
  if (c.allocations) {
    const double alone = c.allocations->time.median();
    count = std::to_string(c.allocations->count);
    allocating = duration(alone);
    rest = duration(std::max(0.0, time - alone));
  }
  const ContestantResult* peer = peer_of(result, c, block);
  out << format("%11s", duration(time).c_str()) << format("%8s", spread_of(c.time).c_str())
      << format("%7s", count.c_str()) << format("%11s", allocating.c_str())
      << format("%11s", rest.c_str()) << format("%10.1f", result.gbytes_per_second(c))
      << format("%11s", bytes(c.bytes).c_str())
      << format("%9s", peer ? (factor(peer->time.median() / time) + "x").c_str() : "-")
      << remarks(c) << '\n';
}

}  // namespace

void print_conversions(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
                       const ConvertRequest& request) {
  const RowFeatures& f = result.rows;
  out << '\n'
      << result.name << ": " << f.rows << " x " << f.columns << ", " << f.nonzeros
      << " nonzeros, row mean " << format("%.2f", f.mean_row()) << " max " << f.longest_row << ", "
      << bytes(result.csr_bytes) << " of CSR\n\n";
  const int width = name_width(result);
  out << format("  %-*s%11s%8s%7s%11s%11s%10s%11s%9s\n", width, "", "time", "spread", "allocs",
                "alone", "rest", "GB/s", "kept", "vs peer");
  print_each(out, result,
             [&](const ContestantResult& c) { print_row(out, result, c, width, request.block); });
  print_steadiness(out, result);
  out.flush();
}

std::string conversions_help() {
  return "columns of the table:\n"
         "  time     from CSR on the device to what can be applied, what was made before released\n"
         "  spread   the range of the middle half of these times over their median\n"
         "  allocs   allocations on the device in that time\n"
         "  alone    these, and their releases, done again with nothing in between\n"
         "  rest     the time without them\n"
         "  GB/s     the bytes of CSR, which have to be read, over the time\n"
         "  kept     what stands beside CSR then\n"
         "  vs peer  of blocks and of the transpose: time of the fastest baseline that makes the\n"
         "           same, over this time: above 1 is faster\n";
}

}  // namespace heddle::bench
