// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include "../common/run_contest.hpp"
#include "../common/table.hpp"
#include "request.hpp"

namespace heddle::bench {

namespace {

void define(Settings& settings, SpmvRequest& r) {
  r.define_contest(
      settings.app(),
      "Schemes, or \"auto\" (the choice of a plan), \"all\" (candidates for the matrix), "
      "or \"every\" (each value of each parameter)");
  r.define_columns(settings.app(), "x and y");
  settings
      .option("expected-applies", r.expected_applies,
              "Number of applies that the choice assumes for a plan")
      ->check(CLI::PositiveNumber);
  r.define_choice(
      settings.app(), "A model for the choice, trained on this device (heddle-bench train)",
      "Seconds that \"auto\" may spend on timing the schemes with the best predictions");
}

void print(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
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

void prepare(SpmvRequest& request) {
  if (!request.model_path.empty()) request.model = read_model(request.model_path);
}

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench spmv --generate grid2d:1000 rmat:18\n"
    "  heddle-bench spmv --matrix A.mtx.xz --scheme auto csr/merge --baseline cusparse\n"
    "  heddle-bench spmv --matrix A.mtx B.mtx --columns 8 --scalar float --json out.json\n\n";

}  // namespace

Operation spmv_operation() {
  Operation operation = operation_of<SpmvRequest>(
      {"spmv", "y = alpha A x + beta y: every scheme of Heddle beside every baseline", define,
       print, table_help() + examples, prepare});
  operation.list = [list = operation.list](std::ostream& out) {
    list(out);
    list_scalars<SpmvRequest>(out);
  };
  return operation;
}

}  // namespace heddle::bench
