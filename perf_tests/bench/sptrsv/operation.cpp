// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "../../../core/files/output_file.hpp"
#include "../common/run_contest.hpp"
#include "problem.hpp"
#include "trace.hpp"

namespace heddle::bench {

namespace {

void define(Settings& settings, SptrsvRequest& r) {
  settings.option("triangle", r.triangle_name, "Of the matrix: lower or upper")
      ->check(CLI::IsMember(detail::word_list<Triangle>()));
  settings
      .option("diagonal", r.diagonal_name,
              "stored, or unit: ones, whatever is stored. What is missing of a stored one, or "
              "zero, is set to 1 + the magnitudes of its row")
      ->check(CLI::IsMember(detail::word_list<Diagonal>()));
  settings.option("op", r.op_name, "Of the triangle: none, transpose or conjugate-transpose")
      ->check(CLI::IsMember({name(Op::none), name(Op::transpose), name(Op::conjugate_transpose)}));
  r.define_contest(settings.app(),
                   "Schemes, or \"auto\" (what a plan chooses), or \"all\" (the candidates: "
                   "at most 60), or \"search\" (walks from the best of those)");
  r.define_columns(settings.app(), "b and x");
  settings
      .option("search-seconds", r.search_seconds,
              "Seconds that a search may take for each matrix; it ends when nothing improves")
      ->check(CLI::Validator(check_seconds, "SECONDS"));
  r.define_choice(settings.app(),
                  "A model for the choice, trained on this device (heddle-bench train)",
                  "Seconds that \"auto\" may spend on timing the best-ranked schemes");
  settings.app()
      .add_option(
          "--trace", r.trace_path,
          "Also trace a solve of each scheme: its critical path is printed, and written here. One "
          "column, double, 32-bit offsets; stamps take time themselves")
      ->type_name("FILE");
}

void prepare(SptrsvRequest& request) {
  if (!request.model_path.empty()) request.model = read_triangle_model(request.model_path);
  if (!request.traces()) return;
  if (request.columns != 1 || request.scalar != "double" || request.offset_bits != 32) {
    throw Error("--trace needs one column, double and offsets of 32 bits",
                "leave out --columns, --scalar and --offset");
  }
  files::require_writable(request.trace_path);
  request.other_paths.push_back(request.trace_path);
  request.traced = std::make_shared<Json>(Json::array());
}

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
  out << columns_text(request) << '\n';
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

void print(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
           const SptrsvRequest& request) {
  print_triangle(out, result, figures, request);
  if (request.explain) out << result.explanation << '\n';
  print_rows(out, result,
             {setup_column(),
              setups_column("solves"),
              update_column("update"),
              time_column(),
              spread_column(),
              queued_column(),
              {"ns a level", 12,
               [&](const ContestantResult& c) {
                 const auto levels = static_cast<double>(result.triangle->levels);
                 return levels > 0 ? format("%.1f", 1e9 * time_of(c) / levels) : "-";
               }},
              peer_column([&](const auto&) { return result.best_baseline(); })});
  out << "\n  a plan takes " << result.chosen_scheme << " by itself\n";
  if (result.search) print_search(out, *result.search);
}

/// Prints the traces of a matrix, and writes those of all matrices so far.
void print_traces(std::ostream& out, const MatrixResult& result, SptrsvRequest& request) {
  if (!request.traced) return;
  Json solves = Json::array();
  for (const TracedSolve& solve : result.traces) {
    out << '\n';
    print_trace(out, solve);
    solves.push_back(trace_json(solve));
  }
  request.traced->push_back({{"name", result.name}, {"traces", solves}});
  out << std::flush;  // the file may be /dev/stdout
  files::write_whole_file(request.trace_path, json_text({{"matrices", *request.traced}}));
}

constexpr const char* help =
    "columns of the table:\n"
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
    "  vs peer     time of the fastest baseline over this time: above 1 is faster\n"
    "\nexamples:\n"
    "  heddle-bench sptrsv --generate grid2d:1000 rmat:18\n"
    "  heddle-bench sptrsv --matrix LU.mtx.xz --diagonal unit --scheme auto --baseline cusparse\n"
    "  heddle-bench sptrsv --matrix LU.mtx --scheme auto search --search-seconds 60\n"
    "  heddle-bench sptrsv --matrix LU.mtx --scheme auto --trace trace.json\n"
    "  heddle-bench sptrsv --matrix LU.mtx --triangle upper --op transpose --json out.json\n\n";

}  // namespace

Operation sptrsv_operation() {
  return operation_of<SptrsvRequest>(
      {"sptrsv", "op(T) x = alpha b, T a triangle: every scheme of Heddle beside every baseline",
       define, print, help, prepare, nullptr, print_traces});
}

}  // namespace heddle::bench
