// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A beam that supports hold in place: its bending stiffness, a row for each support's force, and
// zeros on the diagonal of these rows, so that factors need row exchanges. The stiffness grows from
// step to step: every step has new factors in the same plan.
#include <algorithm>
#include <cstdio>
#include <heddle/direct.hpp>
#include <heddle/spmv.hpp>
#include <heddle/vectors.hpp>
#include <vector>

#include "matrices.hpp"

using example::Array, example::Exec;

template <class T>
Array<T> on_device(const char* name, const std::vector<T>& from) {
  const Array<T> to(name, from.size());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      from.data(), from.size());
  Kokkos::deep_copy(to, host);
  return to;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int points = 2000, apart = 100, supports = points / apart, n = points + supports;
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values;
  const auto end_row = [&] { row_ptr.push_back(static_cast<int>(col_idx.size())); };
  const auto add = [&](int column, double value) {
    col_idx.push_back(column);
    values.push_back(value);
  };
  const double bending[] = {1, -4, 6, -4, 1};  // the fourth difference
  for (int i = 0; i < points; ++i) {
    for (int j = std::max(0, i - 2); j <= std::min(points - 1, i + 2); ++j)
      add(j, bending[j - i + 2]);
    if (i % apart == 0) add(points + i / apart, 1);  // the force of a support
    end_row();
  }
  for (int s = 0; s < supports; ++s) {
    add(s * apart, 1);  // where the beam does not move
    end_row();
  }
  example::Matrix beam{n, on_device("example::row_ptr", row_ptr),
                       on_device("example::col_idx", col_idx),
                       on_device("example::values", values)};
  const auto matrix = beam.csr();
  heddle::DirectPlan plan(exec, matrix, {.refinement_steps = 1});
  std::printf("%s: %.1f MB, %.1e operations\n", plan.scheme().to_string().c_str(),
              static_cast<double>(plan.bytes()) * 1e-6, plan.forecast().flops);

  heddle::SpmvPlan product(exec, matrix);
  const Array<double> load("example::load", n), x("example::x", n), rest("example::rest", n);
  const auto of_points = Kokkos::subview(load, std::pair(0, points));
  Kokkos::deep_copy(exec, of_points, -1.0);
  bool well = true;
  for (const double stiffness : {1.0, 10.0, 100.0}) {
    for (int i = 0, k = 0; i < points; ++i) {
      for (int j = std::max(0, i - 2); j <= std::min(points - 1, i + 2); ++j, ++k) {
        values[static_cast<std::size_t>(k)] = stiffness * bending[j - i + 2];
      }
      if (i % apart == 0) ++k;
    }
    Kokkos::deep_copy(beam.values, on_device("example::values", values));
    plan.update_values(exec, matrix);
    plan.check_values(exec);
    product.update_values(exec, matrix);
    plan.apply(exec, load, x);
    heddle::vectors::axpby(exec, 1.0, load, 0.0, rest);
    product.apply(exec, -1.0, x, 1.0, rest);
    exec.fence();
    double largest = 0, left = 0;
    Kokkos::parallel_reduce(
        "example::sag", Kokkos::RangePolicy<Exec>(exec, 0, points),
        KOKKOS_LAMBDA(int i, double& most) { most = Kokkos::max(most, Kokkos::abs(x(i))); },
        Kokkos::Max<double>(largest));
    Kokkos::parallel_reduce(
        "example::residual", Kokkos::RangePolicy<Exec>(exec, 0, n),
        KOKKOS_LAMBDA(int i, double& most) { most = Kokkos::max(most, Kokkos::abs(rest(i))); },
        Kokkos::Max<double>(left));
    std::printf("stiffness %5.1f: the beam sags by %.4g; |b - A x| is at most %.1e\n", stiffness,
                largest, left);
    // Rounding of terms of this size.
    well = well && left < 1e-13 * stiffness * largest;
  }
  return well ? 0 : 1;
}
