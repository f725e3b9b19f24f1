// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include "../common/run_contest.hpp"
#include "../common/table.hpp"
#include "request.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, SpmvRequest& r) {
  r.define_contest(
      app,
      "Schemes, or \"auto\" (the choice of a plan), \"all\" (candidates for the matrix), "
      "or \"every\" (each value of each parameter)");
  r.define_columns(app, "x and y");
  app.add_option("--expected-applies", r.expected_applies,
                 "Number of applies that the choice assumes for a plan")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  r.define_choice(
      app, "A model for the choice, trained on this device (heddle-bench train)",
      "Seconds that \"auto\" may spend on timing the schemes with the best predictions");
  r.define(app);
}

void print_result(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                  const SpmvRequest& request) {
  const RowFeatures& f = result.rows;
  out << '\n'
      << result.name << ": " << f.rows << " x " << f.columns << ", " << f.nonzeros
      << " nonzeros, row mean " << format("%.2f", f.mean_row()) << " max " << f.longest_row << ", "
      << bytes(result.csr_bytes) << " of CSR, " << bytes(result.apply_bytes) << " an apply";
  if (request.columns > 1) {
    out << ", " << request.columns << " columns, layout " << request.layout;
  }
  out << "\n\n";
  if (request.explain) out << result.explanation << '\n';
  print_contestants(out, result, figures);
}

int run(const SpmvRequest& asked, const std::vector<std::string>& words) {
  SpmvRequest request = asked;
  if (!request.model_path.empty()) request.model = read_model(request.model_path);
  Json settings;
  settings["expected_applies"] = request.expected_applies;
  return run_contest("spmv", request, settings, print_result, words);
}

void list(std::ostream& out) {
  list_schemes_and_baselines<SpmvRequest>(out, "spmv");
  list_scalars<SpmvRequest>(out);
}

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench spmv --generate grid2d:1000 rmat:18\n"
    "  heddle-bench spmv --matrix A.mtx.xz --scheme auto csr/merge --baseline cusparse\n"
    "  heddle-bench spmv --matrix A.mtx B.mtx --columns 8 --scalar float --json out.json\n\n";

}  // namespace

Operation spmv_operation() {
  return contest_operation<SpmvRequest>(
      "spmv", "y = alpha A x + beta y: every scheme of Heddle beside every baseline", define, run,
      table_help() + examples, list);
}

}  // namespace heddle::bench
