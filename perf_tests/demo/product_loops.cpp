// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of arrays.hpp, in a source of their own, since products.cpp is optimized less.
#include "arrays.hpp"

namespace demo {

void range_product(const Exec& exec, const Rows& A, const Vector& x, const Vector& y) {
  Kokkos::parallel_for(
      "demo::range_product", Kokkos::RangePolicy<Exec>(exec, 0, A.rows), KOKKOS_LAMBDA(int i) {
        double sum = 0;
        for (int k = A.row_ptr(i); k < A.row_ptr(i + 1); ++k) sum += A.values(k) * x(A.col_idx(k));
        y(i) = sum;
      });
}

void team_product(const Exec& exec, const Rows& A, const Vector& x, const Vector& y) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  constexpr int rows_per_team = 64;
  const int teams = (A.rows + rows_per_team - 1) / rows_per_team;
  Kokkos::parallel_for(
      "demo::team_product", Policy(exec, teams, Kokkos::AUTO, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Policy::member_type& team) {
        const int first = team.league_rank() * rows_per_team;
        const int last = Kokkos::min(first + rows_per_team, A.rows);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](int i) {
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, A.row_ptr(i), A.row_ptr(i + 1)),
              [&](int k, double& part) { part += A.values(k) * x(A.col_idx(k)); }, sum);
          Kokkos::single(Kokkos::PerThread(team), [&] { y(i) = sum; });
        });
      });
}

}  // namespace demo
