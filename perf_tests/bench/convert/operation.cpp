// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/run_contest.hpp"
#include "problem.hpp"

namespace heddle::bench {

namespace {

void define(Settings& settings, ConvertRequest& r) {
  r.define_contest(settings.app(),
                   "Schemes to make plans of, or \"all\" (candidates for the matrix, blocks of "
                   "--block, transpose, and operations), or \"transpose\", or \"operations\" on "
                   "matrices (op-transpose, op-add, op-drop-small, op-part-of, op-to-blocks, "
                   "op-assemble), or one of these");
  settings.option("block", r.block, "Rows and columns of the blocks that libraries convert to")
      ->check(CLI::Range(1, 8));
  settings.flag("check", r.check, "Plans also check that columns are in range");
}

/// The end of the names of baselines that make the same form; empty if there are none.
std::string peers_of(const std::string& name, const std::string& block) {
  if (name == "bcsr/" + block + "x" + block || name == "op-to-blocks") return "-bsr";
  if (name == "transpose" || name == "op-transpose") return "-csc";
  return name == "op-add" ? "-sum" : "";
}

/// The fastest baseline that makes the same form; null if there is none.
const ContestantResult* peer_of(const MatrixResult& result, const ContestantResult& c, int block) {
  const std::string peers = peers_of(c.name, std::to_string(block));
  if (!c.is_scheme || peers.empty()) return nullptr;
  return fastest(result, [&](const ContestantResult& peer) {
    return !peer.is_scheme && peer.name.ends_with(peers);
  });
}

/// A column about the allocations of a conversion; "-" without any.
template <class Text>
Column allocations_column(const char* head, int width, const Text& text) {
  return {head, width, [text](const ContestantResult& c) -> std::string {
            return c.allocations ? text(c, c.allocations->time.median()) : "-";
          }};
}

void print(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
           const ConvertRequest& request) {
  const RowFeatures& f = result.rows;
  out << '\n'
      << result.name << ": " << f.rows << " x " << f.columns << ", " << f.nonzeros
      << " nonzeros, row mean " << format("%.2f", f.mean_row()) << " max " << f.longest_row << ", "
      << bytes(result.csr_bytes) << " of CSR\n\n";
  print_rows(
      out, result,
      {time_column(), spread_column(),
       allocations_column(
           "allocs", 7,
           [](const ContestantResult& c, double) { return std::to_string(c.allocations->count); }),
       allocations_column("alone", 11,
                          [](const ContestantResult&, double alone) { return duration(alone); }),
       allocations_column("rest", 11,
                          [](const ContestantResult& c, double alone) {
                            return duration(std::max(0.0, time_of(c) - alone));
                          }),
       rate_column(result, 10), kept_column(),
       peer_column([&](const auto& c) { return peer_of(result, c, request.block); })});
}

constexpr const char* help =
    "columns of the table:\n"
    "  time     from CSR on the device to a form that can be applied, with the release of the last "
    "one\n"
    "  spread   the range of the middle half of these times over their median\n"
    "  allocs   allocations on the device in that time\n"
    "  alone    time of these and their releases, repeated alone\n"
    "  rest     the time without them\n"
    "  GB/s     the bytes of CSR, which have to be read, over the time\n"
    "  kept     memory kept beside CSR\n"
    "  vs peer  of blocks, transposes and sums: time of the fastest baseline that makes the same,\n"
    "           over this time: above 1 is faster\n"
    "\nexamples:\n"
    "  heddle-bench convert --generate grid2d:1000\n"
    "  heddle-bench convert --generate poisson2d:700 --scheme operations --block 2\n"
    "  heddle-bench convert --set real-judge --folder DIR --scheme transpose bcsr/2x2 --block "
    "2\n\n";

}  // namespace

Operation convert_operation() {
  return operation_of<ConvertRequest>(
      {"convert", "From CSR into every format, and operations on matrices", define, print, help});
}

}  // namespace heddle::bench
