// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.hpp"

#include <algorithm>
#include <string>

#include "../common/steadiness.hpp"
#include "../common/table.hpp"
#include "trace.hpp"

namespace heddle::bench {

namespace {

void print_triangle(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                    const SptrsvRequest& request) {
  const TriangleFacts& triangle = *result.triangle;
  out << '\n'
      << result.name << ": " << request.triangle_name << " triangle, " << result.rows.rows
      << " rows, " << triangle.entries << " entries, " << triangle.levels << " levels";
  if (triangle.levels > 0) {
    const double rows = static_cast<double>(result.rows.rows);
    out << " of " << format("%.1f", rows / static_cast<double>(triangle.levels)) << " rows";
  }
  if (request.diagonal() == Diagonal::unit) out << ", unit diagonal";
  if (request.op() != Op::none) out << ", " << name(request.op());
  if (request.columns > 1) {
    out << ", " << request.columns << " columns, layout " << request.layout;
  }
  out << '\n';
  const auto count = [&](const char* name) {
    const auto found = std::find_if(triangle.features.begin(), triangle.features.end(),
                                    [&](const auto& one) { return one.first == name; });
    return format("%.0f", found == triangle.features.end() ? 0 : found->second);
  };
  out << "  levels by their rows, from 1, 10, 100, 1,000 and 10,000: " << count("levels_from_1")
      << ", " << count("levels_from_10") << ", " << count("levels_from_100") << ", "
      << count("levels_from_1000") << ", " << count("levels_from_10000") << "; of one row "
      << count("chain_levels") << "; hubs " << count("hub_rows") << '\n';
  const std::string steps = dependent_steps(figures.steps);
  if (!steps.empty()) out << "  a dependent step takes " << steps << '\n';
  if (triangle.diagonal_set > 0) {
    out << "  the diagonal was missing or zero in " << triangle.diagonal_set
        << " rows, and is 1 + the magnitudes of the row there\n";
  }
  if (triangle.overflows) {
    out << "  the solution of these values overflows in " << request.scalar
        << " or is not a number: nothing is verified\n";
  }
  out << '\n';
}

void print_search(std::ostream& out, const SearchResult& search) {
  std::size_t stopped = 0, refused = 0;
  for (const SearchedScheme& one : search.schemes) {
    if (one.time.stopped_early) ++stopped;
    if (!one.time.seconds) ++refused;
  }
  out << "  a search tried " << search.schemes.size() << " schemes";
  if (stopped) out << ", " << stopped << " of them stopped early";
  if (refused) out << ", " << refused << " not for this matrix";
  out << (search.complete ? ", and nothing improves" : ", and its time was up");
  if (search.best) {
    out << ": " << search.best->scheme << " took " << duration(*search.best->time.seconds);
  }
  out << '\n';
}

}  // namespace

void print_solves(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                  const SptrsvRequest& request) {
  print_triangle(out, result, figures, request);
  if (request.explain) out << result.explanation << '\n';
  print_rows(out, result,
             {setup_column(),
              setups_column("solves"),
              {"update", 11, [](const ContestantResult& c) { return optional_duration(c.update); }},
              time_column(),
              spread_column(),
              {"queued", 11, [](const ContestantResult& c) { return optional_duration(c.queued); }},
              {"ns a level", 12,
               [&](const ContestantResult& c) {
                 const auto levels = static_cast<double>(result.triangle->levels);
                 return levels > 0 ? format("%.1f", 1e9 * time_of(c) / levels) : "-";
               }},
              {"vs peer", 9, [&](const ContestantResult& c) { return against_peer(result, c); }}});
  out << "\n  a plan takes " << result.chosen_scheme << " by itself\n";
  if (result.search) print_search(out, *result.search);
  print_steadiness(out, result);
  for (const TracedSolve& solve : result.traces) {
    out << '\n';
    print_trace(out, solve);
  }
  out.flush();
}

std::string solves_help() {
  return "columns of the table:\n"
         "  setup       median of the repeated setups (the first, which loads kernels, is in the "
         "JSON)\n"
         "  solves      the setup in solves of the same contestant\n"
         "  update      new values of the same pattern into a plan of Heddle\n"
         "  time        one solve, nothing queued before; by events of the device where it has "
         "them\n"
         "  spread      the range of the middle half of these times over their median\n"
         "  queued      time of one in ten solves in a row\n"
         "  ns a level  the time over the levels, the rows that must be solved one after the "
         "other\n"
         "  vs peer     time of the fastest baseline over this time: above 1 is faster\n";
}

}  // namespace heddle::bench
