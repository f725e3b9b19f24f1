// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/run_contest.hpp"
#include "problem.hpp"

namespace heddle::bench {

namespace {

void define(Settings& settings, GsRequest& r) {
  settings.option("sweep", r.sweep_name, "forward, backward, or symmetric: both")
      ->check(CLI::IsMember(detail::word_list<SweepDirection>()));
  settings.option("start", r.start, "zero, or guess: sweeps improve x")
      ->check(CLI::IsMember({"zero", "guess"}));
  settings
      .option("sweeps", r.sweeps,
              "Sweeps that are timed together; more than one needs --start guess")
      ->check(CLI::PositiveNumber);
  settings.option("omega", r.options.omega, "Relaxation factor, more than 0 and less than 2");
  settings
      .option("block", r.options.block_size, "Rows of a block, which are solved for together",
              "block_size")
      ->check(CLI::Range(1, 8));
  r.define_contest(settings.app(),
                   "Schemes, or \"auto\" (what a plan chooses), \"multicolor\" (the same "
                   "in the order of colors), or \"all\". A product is timed beside them");
  r.define_columns(settings.app(), "b and x");
}

/// GB/s: the bytes of the product, or those that the sweeps move at least, over the time.
double rate_of(const MatrixResult& result, const ContestantResult& c) {
  if (c.name != product_name) return result.gbytes_per_second(c);
  return 1e-9 * static_cast<double>(c.moved_bytes) / time_of(c);
}

void print(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
           const GsRequest& request) {
  out << '\n' << result.name << ": ";
  if (request.sweeps > 1) out << request.sweeps << ' ';
  out << request.sweep_name << (request.sweeps > 1 ? " sweeps" : " sweep") << " from "
      << (request.from_zero() ? "zero" : "a guess");
  if (request.options.omega != 1) out << ", omega " << request.options.omega;
  if (request.options.block_size > 1) out << ", blocks of " << request.options.block_size;
  out << ", " << result.rows.rows << " rows, " << result.rows.nonzeros << " entries";
  out << columns_text(request);
  if (!result.choice_reason.empty()) out << "\n  " << result.choice_reason;
  out << "\n\n";
  const ContestantResult* product = nullptr;
  for (const ContestantResult& c : result.contestants) {
    if (!product && c.name == product_name && c.timed()) product = &c;
  }
  // Baselines that were not verified compute other iterations.
  const ContestantResult* const peer = fastest(
      result, [](const ContestantResult& c) { return !c.is_scheme && c.verdict == Verdict::ok; });
  print_rows(
      out, result,
      {setup_column(),
       setups_column("times"),
       time_column(),
       spread_column(),
       {"GB/s", 8, [&](const ContestantResult& c) { return format("%.1f", rate_of(result, c)); }},
       {"product", 9,
        [&](const ContestantResult& c) {
          const double whole = product ? 100 * rate_of(result, c) / rate_of(result, *product) : 0;
          return format("%.0f%%", whole);
        }},
       kept_column(),
       peer_column([&](const ContestantResult& c) {
         return c.is_scheme && c.name != product_name ? peer : nullptr;
       })});
}

void prepare(GsRequest& request) {
  request.options.sweep = detail::value_of<SweepDirection>("--sweep", request.sweep_name);
  if (request.from_zero() && request.sweeps > 1) {
    throw Error("one sweep is timed from zero", "use --start guess, or leave out --sweeps");
  }
}

constexpr const char* help =
    "matrices:\n"
    "  A missing or zero diagonal entry is set to one more than the magnitudes of its row and "
    "column.\n\n"
    "columns of the table:\n"
    "  setup    median of the repeated inspections\n"
    "  times    the setup over the time\n"
    "  time     all sweeps, nothing queued before\n"
    "  spread   the range of the middle half of these times over their median\n"
    "  GB/s     the least bytes over the time: a side of the matrix a half sweep, from a "
    "guess\n"
    "           one side more, and the vectors; whatever the contestant really moves\n"
    "  product  that rate over the rate of Heddle's product A b\n"
    "  kept     memory kept beside the matrix\n"
    "  vs peer  time of the fastest baseline that was verified over this time\n"
    "\nexamples:\n"
    "  heddle-bench gs --generate grid2d:1000\n"
    "  heddle-bench gs --matrix A.mtx --sweep forward --start guess --omega 1.5\n"
    "  heddle-bench gs --matrix A.mtx --scheme auto multicolor --json out.json\n\n";

}  // namespace

Operation gs_operation() {
  return operation_of<GsRequest>(
      {"gs", "Sweeps of Gauss-Seidel, SOR and SSOR: every scheme of Heddle beside every baseline",
       define, print, help, prepare});
}

}  // namespace heddle::bench
