// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include "../../../core/files/output_file.hpp"
#include "../common/run_contest.hpp"
#include "request.hpp"
#include "table.hpp"
#include "trace.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, SptrsvRequest& r) {
  app.add_option("--triangle", r.triangle_name, "Of the matrix: lower or upper")
      ->check(CLI::IsMember({"lower", "upper"}))
      ->capture_default_str();
  app.add_option("--diagonal", r.diagonal_name,
                 "stored, or unit: ones, whatever is stored. What is missing of a stored one, or "
                 "zero, is set to 1 + the magnitudes of its row")
      ->check(CLI::IsMember({"stored", "unit"}))
      ->capture_default_str();
  app.add_option("--op", r.op_name, "Of the triangle: none, transpose or conjugate-transpose")
      ->check(CLI::IsMember({"none", "transpose", "conjugate-transpose"}))
      ->capture_default_str();
  r.define_contest(app,
                   "Schemes, or \"auto\" (what a plan chooses), or \"all\" (the candidates: "
                   "at most 60), or \"search\" (walks from the best of those)");
  r.define_columns(app, "b and x");
  app.add_option("--search-seconds", r.search_seconds,
                 "Seconds that a search may take for each matrix; it ends when nothing improves")
      ->check(CLI::Validator(check_seconds, "SECONDS"))
      ->capture_default_str();
  r.define_choice(app, "A model for the choice, trained on this device (heddle-bench train)",
                  "Seconds that \"auto\" may spend on timing the best-ranked schemes");
  app.add_option(
         "--trace", r.trace_path,
         "Also trace a solve of each scheme: its critical path is printed, and written here")
      ->type_name("FILE");
  r.define(app);
}

void check_trace(const SptrsvRequest& request) {
  if (request.columns != 1 || request.scalar != "double" || request.offset_bits != 32) {
    throw Error("--trace is of one column, in double, with offsets of 32 bits",
                "leave out --columns, --scalar and --offset");
  }
  files::require_writable(request.trace_path);
}

/// The traces of all matrices, written whole after each.
class TraceFile {
 public:
  explicit TraceFile(std::string path) : path_(std::move(path)) {}

  void add(const MatrixResult& result) {
    Json solves = Json::array();
    for (const TracedSolve& solve : result.traces) solves.push_back(trace_json(solve));
    matrices_.push_back({{"name", result.name}, {"traces", solves}});
    const Json all = {{"matrices", matrices_}};
    files::write_whole_file(path_, all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }

 private:
  std::string path_;
  Json matrices_ = Json::array();
};

/// Folders tell about a person's machine.
std::vector<std::string> without_folder(std::vector<std::string> words, const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  for (std::string& word : words) {
    if (word == path) word = name;
    if (word == "--trace=" + path) word = "--trace=" + name;
  }
  return words;
}

int run(const SptrsvRequest& asked, const std::vector<std::string>& words) {
  SptrsvRequest request = asked;
  if (!request.model_path.empty()) request.model = read_triangle_model(request.model_path);
  Json settings;
  settings["triangle"] = request.triangle_name;
  settings["diagonal"] = request.diagonal_name;
  settings["op"] = request.op_name;
  if (request.searches()) settings["search_seconds"] = request.search_seconds;
  if (!request.traces()) return run_contest("sptrsv", request, settings, print_solves, words);
  check_trace(request);
  TraceFile file(request.trace_path);
  const auto print_and_write = [&](std::ostream& out, const MatrixResult& result,
                                   const DeviceFigures& figures, const SptrsvRequest& of) {
    print_solves(out, result, figures, of);
    file.add(result);
  };
  return run_contest("sptrsv", request, settings, print_and_write,
                     without_folder(words, request.trace_path));
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
  return contest_operation<SptrsvRequest>(
      "sptrsv", "op(T) x = alpha b, T a triangle: every scheme of Heddle beside every baseline",
      define, run, solves_help() + examples,
      [](std::ostream& out) { list_schemes_and_baselines<SptrsvRequest>(out, "sptrsv"); });
}

}  // namespace heddle::bench
