// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with two matrices: by a plan's choice, by its other schemes, and by loops of Kokkos.
#include <cmath>
#include <cstdio>
#include <deque>

#include "few_formats.hpp"
#include "matrices.hpp"
#include "measure.hpp"
#include "sections.hpp"

namespace demo {

namespace {

using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Plan = heddle::SpmvPlan<Exec, Matrix, double, double, FewFormats>;

/// Sum of |a - b| over the sum of |b|; NaN if `a` has one.
template <class A>
double difference(const Exec& exec, const A& a, const Vector& b) {
  double apart = 0, all = 0;
  Kokkos::parallel_reduce(
      "demo::difference", Kokkos::RangePolicy<Exec>(exec, 0, a.extent(0)),
      KOKKOS_LAMBDA(int i, double& differences, double& sizes) {
        differences += Kokkos::abs(a(i) - b(i));
        sizes += Kokkos::abs(b(i));
      },
      apart, all);
  return apart / all;
}

bool compare(const Exec& exec, const Rows& rows, std::initializer_list<const char*> schemes,
             const Size& size) {
  const Matrix A(rows.rows, rows.rows, rows.row_ptr, rows.col_idx, rows.values);
  const Vector x = vector(exec, rows.rows, 1), y = vector(exec, rows.rows, 0),
               expected = vector(exec, rows.rows, 0);
  Kokkos::parallel_for(
      "demo::x", Kokkos::RangePolicy<Exec>(exec, 0, rows.rows),
      KOKKOS_LAMBDA(int i) { x(i) = 1 + i % 7; });
  range_product(exec, rows, x, expected);

  std::deque<Plan> plans;
  std::vector<Contestant> contestants;
  const auto enter = [&](const std::string& name, const heddle::SpmvOptions& options) {
    Plan& plan = plans.emplace_back(exec, A, options, FewFormats());
    contestants.push_back(
        {name + short_name(plan.scheme().to_string()), [&] { plan.apply(exec, x, y); }});
  };
  enter("Heddle takes ", {});
  for (const char* scheme : schemes) {
    heddle::SpmvOptions pinned;
    pinned.scheme = heddle::Scheme(scheme);
    if (plans.front().scheme().to_string().starts_with(scheme)) continue;
    enter("Heddle, pinned: ", pinned);
  }
  contestants.push_back({"a Kokkos::RangePolicy loop", [&] { range_product(exec, rows, x, y); }});
  contestants.push_back({"a Kokkos::TeamPolicy loop", [&] { team_product(exec, rows, x, y); }});

  bool right = true;
  for (const Contestant& contestant : contestants) {
    Kokkos::deep_copy(exec, y, NAN);
    contestant.run();
    if (difference(exec, y, expected) < 1e-12) continue;
    std::printf("  WRONG: %s\n", contestant.name.c_str());
    right = false;
  }
  time_in_turns(exec, contestants, size.seconds);
  print_bars(contestants, rows.product_bytes(), size.triad_rate);
  const Plan& plan = plans.front();
  std::printf("  why: %s. Set-up: %.1f loops; kept beside the matrix: %.0f MB\n",
              plan.reason().c_str(),
              plan.setup_seconds() / contestants[contestants.size() - 2].median(),
              1e-6 * static_cast<double>(plan.bytes()));
  return right;
}

/// Multiplies the matrix with eight row-major vectors: the plan reads it once.
bool compare_eight(const Exec& exec, const Rows& rows, const Size& size) {
  constexpr int count = 8;
  using Vectors = Kokkos::View<double* [count], Kokkos::LayoutRight, Exec::memory_space>;
  const Matrix A(rows.rows, rows.rows, rows.row_ptr, rows.col_idx, rows.values);
  const Vectors X("demo::X", rows.rows), Y("demo::Y", rows.rows);
  const Vector x = vector(exec, rows.rows, 1), y = vector(exec, rows.rows, 0);
  Kokkos::deep_copy(exec, X, 1.0);
  heddle::SpmvOptions options;
  options.vectors.count = count;
  Plan plan(exec, A, options, FewFormats());
  std::vector<Contestant> contestants = {
      {"Heddle takes " + short_name(plan.scheme().to_string()), [&] { plan.apply(exec, X, Y); }},
      {"a RangePolicy loop, once a vector", [&] {
         for (int v = 0; v < count; ++v) range_product(exec, rows, x, y);
       }}};
  for (const Contestant& contestant : contestants) contestant.run();
  const bool right = difference(exec, Kokkos::subview(Y, Kokkos::ALL, count - 1), y) < 1e-12;
  if (!right) std::printf("  WRONG: %s\n", contestants.front().name.c_str());
  time_in_turns(exec, contestants, size.seconds);
  print_bars(contestants, count * rows.product_bytes(), size.triad_rate);
  return right;
}

void print_title(const char* name, const Rows& rows) {
  std::printf("\ny = A x, %s: %d rows, %.1f million entries, %.0f MB\n", name, rows.rows,
              1e-6 * static_cast<double>(rows.nonzeros()), 1e-6 * rows.product_bytes());
}

}  // namespace

bool show_products(const Exec& exec, const Size& size) {
  bool right = true;
  {
    const int side = std::max(8, static_cast<int>(std::cbrt(size.matrix_bytes / (3 * 81 * 12.0))));
    const Rows body = elastic_body(exec, side);
    print_title("an elastic body, every entry in a block of 3 x 3", body);
    right = compare(exec, body, {"bcsr/3x3", "csr/adaptive", "csr/merge"}, size);
    std::printf("Y = A X, the same with 8 vectors at once\n");
    right = compare_eight(exec, body, size) && right;
  }
  const Rows graph =
      network(exec, std::max(8192, static_cast<int>(size.matrix_bytes / (12 * 12.0))));
  print_title("a network of short rows and a few long ones", graph);
  return compare(exec, graph, {"csr/adaptive", "csr/merge", "csr/scalar"}, size) && right;
}

}  // namespace demo
