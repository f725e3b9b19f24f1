// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/run_contest.hpp"
#include "problem.hpp"

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
  out << columns_text(request) << "\n\n";
  if (request.explain) out << result.explanation << '\n';
  print_rows(
      out, result,
      {setup_column(),
       {"rest", 11,
        [&](const ContestantResult& c) {
          const auto rest = c.setup_rest(figures.readback_seconds);
          return rest ? duration(*rest) : "-";
        },
        true},
       setups_column("applies"),
       time_column(),
       spread_column(),
       queued_column(),
       {"latency", 11, [](const ContestantResult& c) { return optional_duration(c.latency); }},
       rate_column(result, 10),
       {"triad", 8,
        [&](const ContestantResult& c) {
          const double share = result.gbytes_per_second(c) / figures.triad_gbytes_per_second;
          return format("%.0f%%", 100 * share);
        }},
       moved_column(),
       peer_column([&](const auto&) { return result.best_baseline(); })});
  if (!result.chosen_scheme.empty()) {
    out << "\n  choose took " << result.chosen_scheme << ": " << result.choice_reason << '\n';
  }
}

void prepare(SpmvRequest& request) {
  if (!request.model_path.empty()) request.model = read_model(request.model_path);
}

constexpr const char* help =
    "columns of the table:\n"
    "  setup    median of the repeated setups (the first, which loads kernels, is in the "
    "JSON)\n"
    "  rest     the setup without its allocations (timed alone) and its waits for the device\n"
    "           (a readback each)\n"
    "  applies  the setup in applies of the same contestant\n"
    "  time     one apply, nothing queued before; by events of the device where it has them\n"
    "  spread   the range of the middle half of these times over their median\n"
    "  queued   time of one in ten applies in a row, or in fewer if one takes over 1 ms\n"
    "  latency  from the call to the end of the fence behind it, by the host's clock\n"
    "  GB/s     the least bytes of an apply of CSR (values, column indices, row pointer, x "
    "and\n"
    "           y once) over the time, whatever the contestant really moves\n"
    "  triad    that rate as a share of the measured STREAM triad\n"
    "  moved    bytes that one apply moves, if the contestant reports them\n"
    "  vs peer  time of the fastest baseline over this time: above 1 is faster\n"
    "\nexamples:\n"
    "  heddle-bench spmv --generate grid2d:1000 rmat:18\n"
    "  heddle-bench spmv --matrix A.mtx.xz --scheme auto csr/merge --baseline cusparse\n"
    "  heddle-bench spmv --matrix A.mtx B.mtx --columns 8 --scalar float --json out.json\n\n";

}  // namespace

Operation spmv_operation() {
  Operation operation = operation_of<SpmvRequest>(
      {"spmv", "y = alpha A x + beta y: every scheme of Heddle beside every baseline", define,
       print, help, prepare});
  operation.list = [list = operation.list](std::ostream& out) {
    list(out);
    list_scalars<SpmvRequest>(out);
  };
  return operation;
}

}  // namespace heddle::bench
