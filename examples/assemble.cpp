// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix from the elements of a mesh: each element gives triplets, which are assembled, and later
// new values for them. The matrix is reordered for a small bandwidth, a system with it is solved,
// and a coarse matrix, a triple product, is computed.
#include <cmath>
#include <cstdio>
#include <heddle/cg.hpp>
#include <heddle/csr.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;

/// A mesh of side - 1 by side - 1 squares with four points each, in a scattered numbering.
struct Mesh {
  int side;

  KOKKOS_FUNCTION int points() const { return side * side; }
  KOKKOS_FUNCTION int squares() const { return (side - 1) * (side - 1); }
  KOKKOS_FUNCTION int point(int square, int corner) const {
    const int x = square % (side - 1) + corner % 2, y = square / (side - 1) + corner / 2;
    return static_cast<int>((std::int64_t{y * side + x} * 7919) % points());
  }
};

/// 16 triplets an element: its stiffness, times a conductivity, and a small mass.
struct Elements {
  Mesh mesh;
  double conductivity;
  Array<int> rows, columns;
  Array<double> values;

  KOKKOS_FUNCTION void operator()(int square) const {
    for (int k = 0; k < 16; ++k) {
      const int i = k / 4, j = k % 4, place = 16 * square + k;
      const bool beside = i != j && i + j != 3;
      const double stiffness = i == j ? 4.0 / 6 : beside ? -1.0 / 6 : -2.0 / 6;
      rows(place) = mesh.point(square, i);
      columns(place) = mesh.point(square, j);
      values(place) = conductivity * stiffness + (i == j ? 0.01 : 0);
    }
  }
};

template <class Matrix>
int bandwidth(const Matrix& A) {
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr());
  const auto col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.col_idx());
  int widest = 0;
  for (int i = 0; i < A.rows(); ++i) {
    for (int k = row_ptr(i); k < row_ptr(i + 1); ++k) {
      widest = std::max(widest, std::abs(col_idx(k) - i));
    }
  }
  return widest;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const Mesh mesh{60};
  const int n = mesh.points(), triplets = 16 * mesh.squares();
  Elements elements{mesh, 1, Array<int>("example::rows", triplets),
                    Array<int>("example::columns", triplets),
                    Array<double>("example::values", triplets)};
  const auto fill = [&] {
    Kokkos::parallel_for("example::elements", Kokkos::RangePolicy<Exec>(exec, 0, mesh.squares()),
                         elements);
  };
  fill();
  auto A = heddle::assemble(exec, n, n, elements.rows, elements.columns, elements.values);
  bool right = heddle::is_symmetric(exec, A.matrix(), 1e-14);

  const auto order = heddle::reverse_cuthill_mckee(exec, A.matrix());
  auto B = heddle::permute(exec, A.matrix(), order);
  exec.fence();
  const int before = bandwidth(A.matrix()), after = bandwidth(B.matrix());
  std::printf("%d points, %d entries of %d triplets; bandwidth %d, then %d\n", n, A.nonzeros(),
              triplets, before, after);
  right = right && after < 2 * mesh.side;

  // Pairs of neighbouring rows become one row, as on a level of multigrid: P' B P.
  const Array<int> fine("example::fine", n), coarse("example::coarse", n);
  const Array<double> ones("example::ones", n);
  Kokkos::deep_copy(exec, ones, 1.0);
  Kokkos::parallel_for(
      "example::pairs", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        fine(i) = i;
        coarse(i) = i / 2;
      });
  const auto P = heddle::assemble(exec, n, (n + 1) / 2, fine, coarse, ones);
  heddle::GalerkinPlan level(exec, B.matrix(), P.matrix());

  heddle::CgSolver<Exec, double> cg(exec, n);
  const Array<double> u("example::u", n), f("example::f", n);
  Kokkos::deep_copy(exec, f, 1.0);
  for (int step = 0; step < 3; ++step) {
    elements.conductivity = 1 + step;
    fill();
    A.update_values(exec, elements.values);  // one pass, no wait
    B.update_values(exec, A.matrix());
    level.numeric(exec, B.matrix(), P.matrix());
    heddle::SpmvPlan product(exec, B.matrix());
    heddle::IcPlan factors(exec, B.matrix());
    Kokkos::deep_copy(exec, u, 0.0);
    const heddle::KrylovResult result = cg.solve(exec, product, f, u, factors);
    std::printf("conductivity %g: %s, %d products, residual %.1e; coarse: %d rows, %d entries\n",
                elements.conductivity, name(result.outcome), result.iterations,
                result.relative_residual(), level.matrix().rows(), level.matrix().nonzeros());
    // The rows of the stiffness matrix sum to zero, so all entries together sum to the mass, on the
    // fine and on the coarse level.
    const double mass = 0.04 * mesh.squares();
    const auto entries =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), level.matrix().values());
    double sum = 0;
    for (std::size_t k = 0; k < entries.extent(0); ++k) sum += entries(k);
    right = right && result.converged() && std::abs(sum - mass) < 1e-9 * mass;
  }
  return right ? 0 : 1;
}
