// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../bench/operation.hpp"

#include <heddle/vectors.hpp>
#include <iostream>
#include <memory>

#include "../../bench/common/table.hpp"
#include "../../bench/common/timing.hpp"

namespace heddle::bench {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
using Number = Kokkos::View<double, Space>;
using Small = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

struct Request {
  std::int64_t rows = 0;
  int repetitions = 20;
};

/// A triad through the same launch as Kokkos' own, the reference of all shares.
struct Triad {
  double *a, *b, *c;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { a[i] = b[i] + 3.0 * c[i]; }
};

struct Row {
  std::string name;
  double entries;  ///< vector entries that are read and written
  std::function<void()> apply;
  Samples time;
};

/// Times the rows in turns, so that a change of the clocks or of the load affects all.
void time_rows(const Exec& exec, std::vector<Row>& rows, int repetitions) {
  Stopwatch stopwatch(exec);
  for (int i = -1; i < repetitions; ++i) {
    for (Row& row : rows) {
      exec.fence("heddle::bench::vectors");
      stopwatch.start();
      row.apply();
      const double seconds = stopwatch.stop();
      if (i >= 0) row.time.seconds.push_back(seconds);
    }
  }
}

int run(const Request& request) {
  const Exec exec;
  const DeviceFigures figures = measure_device(exec);
  // Vectors are as long as the arrays of the triad, so that they exceed the caches as far.
  const std::int64_t n = request.rows > 0
                             ? request.rows
                             : static_cast<std::int64_t>(figures.array_bytes / sizeof(double));
  constexpr int k = 8;
  const auto size = static_cast<std::size_t>(n);
  const auto vectors = [&](std::size_t rows, std::size_t count) {
    Columns columns(Kokkos::view_alloc("heddle::bench::vectors", Kokkos::WithoutInitializing), rows,
                    count);
    Kokkos::deep_copy(exec, columns, 1e-3);
    return columns;
  };
  const Columns all = vectors(size, 4);
  const auto x = Kokkos::subview(all, Kokkos::ALL, 0), y = Kokkos::subview(all, Kokkos::ALL, 1),
             z = Kokkos::subview(all, Kokkos::ALL, 2), w = Kokkos::subview(all, Kokkos::ALL, 3);
  const auto part = static_cast<std::size_t>(n) / k;  // same total bytes
  const Columns V = vectors(part, k), W = vectors(part, k), T = vectors(part / 2, 2 * k);
  const auto one = Kokkos::subview(W, Kokkos::ALL, 0);
  const Small C = vectors(k, k), D = vectors(2 * k, 2 * k);
  const auto h = Kokkos::subview(C, Kokkos::ALL, 0);
  const VectorWorkspace<Exec, double> workspace(exec, 4 * k * k);
  const Number number("heddle::bench::number");
  const double of_part = static_cast<double>(part), all_rows = static_cast<double>(n);

  std::vector<Row> rows;
  const auto add = [&](const char* name, double entries, std::function<void()> apply) {
    rows.push_back({name, entries, std::move(apply), {}});
  };
  add("triad", 3 * all_rows, [&] {
    Kokkos::parallel_for("heddle::bench::triad", range_policy(exec, n),
                         Triad{x.data(), y.data(), z.data()});
  });
  add("axpby", 3 * all_rows, [&] { vectors::axpby(exec, 0.5, x, 0.25, y); });
  add("axpby, beta 0", 2 * all_rows, [&] { vectors::axpby(exec, 0.5, x, 0, y); });
  add("advance", 5 * all_rows, [&] { vectors::advance(exec, 0.5, x, 0.25, y, z); });
  add("dot", 2 * all_rows, [&] { vectors::dot(exec, x, w, workspace, number); });
  add("norm", all_rows, [&] { vectors::norm(exec, x, workspace, number); });
  add("axpy_norm", 3 * all_rows, [&] { vectors::axpy_norm(exec, 1e-9, x, y, workspace, number); });
  add("V' w, 8 x 1", (k + 1) * of_part,
      [&] { vectors::inner_products(exec, V, one, workspace, h); });
  add("w - V h, 8 x 1", (k + 2) * of_part, [&] { vectors::combine(exec, -1e-9, V, h, 1.0, one); });
  add("V' W, 8 x 8", 2 * k * of_part, [&] { vectors::inner_products(exec, V, W, workspace, C); });
  add("V C, 8 x 8", 2 * k * of_part, [&] { vectors::combine(exec, 1e-3, V, C, 0.0, W); });
  add("V' V, 16 x 16", 2 * k * (of_part / 2),
      [&] { vectors::inner_products(exec, T, T, workspace, D); });
  time_rows(exec, rows, request.repetitions);

  print_machine(std::cout, describe_machine(""), figures);
  const auto rate = [](const Row& row) { return 8e-9 * row.entries / row.time.min(); };
  const double triad = rate(rows.front());
  std::cout << format(
      "vectors of %lld rows, double; rates are of the best of all repetitions, as triad's\n\n%-16s "
      "%10s %8s %8s\n",
      static_cast<long long>(n), "operation", "best", "GB/s", "triad");
  for (const Row& row : rows) {
    std::cout << format("%-16s %10s %8.1f %7.0f%%\n", row.name.c_str(),
                        duration(row.time.min()).c_str(), rate(row), 100 * rate(row) / triad);
  }
  return all_well;
}

}  // namespace

Operation vectors_operation() {
  const auto request = std::make_shared<Request>();
  Operation operation;
  operation.name = "vectors";
  operation.description = "Updates, dots and tall and skinny products, as a share of triad";
  operation.define = [request](CLI::App& app) {
    app.add_option("--rows", request->rows, "Rows of a vector; 0: as triad's arrays")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--repeat", request->repetitions, "Repetitions of each")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
  };
  operation.run = [request](const std::vector<std::string>&) { return run(*request); };
  return operation;
}

}  // namespace heddle::bench
