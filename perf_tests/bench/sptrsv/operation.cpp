// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include "../../../core/files/output_file.hpp"
#include "../common/run_contest.hpp"
#include "request.hpp"
#include "table.hpp"
#include "trace.hpp"

namespace heddle::bench {

namespace {

void define(Settings& settings, SptrsvRequest& r) {
  settings.option("triangle", r.triangle_name, "Of the matrix: lower or upper")
      ->check(CLI::IsMember({"lower", "upper"}));
  settings
      .option("diagonal", r.diagonal_name,
              "stored, or unit: ones, whatever is stored. What is missing of a stored one, or "
              "zero, is set to 1 + the magnitudes of its row")
      ->check(CLI::IsMember({"stored", "unit"}));
  settings.option("op", r.op_name, "Of the triangle: none, transpose or conjugate-transpose")
      ->check(CLI::IsMember({"none", "transpose", "conjugate-transpose"}));
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
          "Also trace a solve of each scheme: its critical path is printed, and written here")
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

/// Prints the results of a matrix, and writes the traces of all matrices so far.
void print(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
           const SptrsvRequest& request) {
  print_solves(out, result, figures, request);
  if (!request.traced) return;
  Json solves = Json::array();
  for (const TracedSolve& solve : result.traces) solves.push_back(trace_json(solve));
  request.traced->push_back({{"name", result.name}, {"traces", solves}});
  files::write_whole_file(request.trace_path, json_text({{"matrices", *request.traced}}));
}

constexpr const char* examples =
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
       define, print, solves_help() + examples, prepare});
}

}  // namespace heddle::bench
