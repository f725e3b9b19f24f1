// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of multigrid that a program supplies: a smoother, aggregates, and prolongations of its own,
// for Poisson's equation on a square grid.
#include <cstdio>
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/spmv.hpp>
#include <memory>

#include "matrices.hpp"

using example::Array, example::Exec;
using Csr = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Parts = heddle::MultigridParts<Exec, Csr>;

/// Jacobi iteration, damped by 0.8: x += 0.8 D^-1 (b - A x). It is its own adjoint.
class DampedJacobi : public heddle::MultigridLevelSmoother<Exec, Csr> {
 public:
  DampedJacobi(const Exec& exec, const Csr& A)
      : product_(exec, A), inverse_("example::inverse", A.rows()), q_("example::q", A.rows(), 1) {
    invert(exec, A);
  }
  void before(const Exec& exec, const ConstVectors& b, const Vectors& x) override {
    const auto inverse = inverse_;
    Kokkos::parallel_for(
        "example::jacobi", Kokkos::RangePolicy<Exec>(exec, 0, inverse.extent(0)),
        KOKKOS_LAMBDA(int i) { x(i, 0) = 0.8 * inverse(i) * b(i, 0); });
  }
  void after(const Exec& exec, const ConstVectors& b, const Vectors& x) override {
    const auto inverse = inverse_;
    const auto q = q_;
    product_.apply(exec, 1.0, x, 0.0, q);
    Kokkos::parallel_for(
        "example::jacobi", Kokkos::RangePolicy<Exec>(exec, 0, inverse.extent(0)),
        KOKKOS_LAMBDA(int i) { x(i, 0) += 0.8 * inverse(i) * (b(i, 0) - q(i, 0)); });
  }
  void update_values(const Exec& exec, const Csr& A) override {
    product_.update_values(exec, A);
    invert(exec, A);
  }

  void invert(const Exec& exec, const Csr& A) const {
    const auto inverse = inverse_;
    Kokkos::parallel_for(
        "example::invert", Kokkos::RangePolicy<Exec>(exec, 0, A.rows()), KOKKOS_LAMBDA(int i) {
          double diagonal = 0;
          for (int k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
            if (A.col_idx()(k) == i) diagonal += A.values()(k);
          }
          inverse(i) = 1 / diagonal;
        });
  }

 private:
  heddle::SpmvPlan<Exec, Csr> product_;
  Array<double> inverse_;
  Kokkos::View<double**, Kokkos::LayoutLeft, Exec::memory_space> q_;
};

/// Aggregates of 3 x 3 nodes of a grid with `side` nodes along each side; returns their number.
int squares(const Exec& exec, int side, const Parts::Aggregates& aggregate) {
  const int coarse = (side + 2) / 3;
  Kokkos::parallel_for(
      "example::squares", Kokkos::RangePolicy<Exec>(exec, 0, side * side),
      KOKKOS_LAMBDA(int i) { aggregate(i) = i / side / 3 * coarse + i % side / 3; });
  return coarse * coarse;
}

/// Bilinear interpolation from every second node, 1, 3, 5, ... along each side, of an odd `side`.
Parts::Prolongation interpolation(const Exec& exec, int side) {
  const int coarse = side / 2, n = side * side;
  const Parts::Prolongation P(exec, n, coarse * coarse, 9 * coarse * coarse);
  const auto row_ptr = P.row_ptr();
  const auto col_idx = P.col_idx();
  const auto values = P.values();
  // Counts the entries of all rows before i; then each row writes its entries.
  Kokkos::parallel_scan(
      "example::interpolation", Kokkos::RangePolicy<Exec>(exec, 0, n + 1),
      KOKKOS_LAMBDA(int i, int& k, bool last) {
        if (last) row_ptr(i) = k;
        if (i == n) return;
        const int y = i / side, x = i % side;
        const double weight = (y % 2 ? 1 : 0.5) * (x % 2 ? 1 : 0.5);
        for (int v = Kokkos::max((y + 1) / 2 - 1, 0); v <= Kokkos::min(y / 2, coarse - 1); ++v) {
          for (int u = Kokkos::max((x + 1) / 2 - 1, 0); u <= Kokkos::min(x / 2, coarse - 1); ++u) {
            if (last) col_idx(k) = v * coarse + u;
            if (last) values(k) = weight;
            ++k;
          }
        }
      });
  exec.fence();
  return P;
}

/// Solves A u = f with a preconditioner, and returns whether |f - A u| < 1e-7 |f| after at most
/// `most` iterations.
bool solve(const Exec& exec, const Csr& A, const char* with, const Parts& parts, int most) {
  const heddle::MultigridPlan multigrid(exec, A, parts);
  heddle::SpmvPlan plan(exec, A);
  heddle::CgSolver<Exec, double> cg(exec, A.rows());
  const Array<double> u("example::u", A.rows()), f("example::f", A.rows());
  Kokkos::deep_copy(exec, f, 1.0);
  const heddle::KrylovResult result = cg.solve(exec, plan, f, u, multigrid);
  plan.apply(exec, -1.0, u, 1.0, f);  // f - A u
  double square = 0;
  Kokkos::parallel_reduce(
      "example::residual", Kokkos::RangePolicy<Exec>(exec, 0, A.rows()),
      KOKKOS_LAMBDA(int i, double& sum) { sum += f(i) * f(i); }, square);
  std::printf("with %s: %d iterations\n%s", with, result.iterations,
              multigrid.levels().to_string().c_str());
  return result.converged() && result.iterations <= most && square < 1e-14 * A.rows();
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 127;
  const example::Matrix stored = example::laplacian(exec, side);
  const Csr A = stored.csr();

  Parts smoother, aggregates, prolongation;
  smoother.smoother = [](const Exec& on, int, const Csr& level) {
    return std::make_unique<DampedJacobi>(on, level);
  };
  aggregates.aggregates = [](const Exec& on, int level, const Csr&, const auto& aggregate) {
    int length = side;
    for (int l = 0; l < level; ++l) length = (length + 2) / 3;
    return squares(on, length, aggregate);
  };
  prolongation.prolongation = [](const Exec& on, int level, const Csr&) {
    return interpolation(on, ((side + 1) >> level) - 1);
  };
  bool right = solve(exec, A, "Heddle's own parts", {}, 20);
  right = solve(exec, A, "damped Jacobi", smoother, 30) && right;
  right = solve(exec, A, "squares of nodes", aggregates, 25) && right;
  right = solve(exec, A, "bilinear interpolation", prolongation, 15) && right;
  return right ? 0 : 1;
}
