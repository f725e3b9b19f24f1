// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of <heddle/csr.hpp>, for the scalar of one word and the one of two.
#include <heddle/csr.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

template <class Matrix>
void products(const Gpu& exec, const Matrix& A) {
  MultiplyPlan AA(exec, A, A, A);
  AA.numeric(exec, 1, A, A, 1, A);
  GalerkinPlan coarse(exec, A, A, A);
  coarse.numeric(exec, A, A, A);
}

template <class Matrix>
void derived(const Gpu& exec, const Matrix& A, const Kokkos::View<int*, Gpu>& list) {
  transpose(exec, A).update_values(exec, A);
  sort_rows(exec, A);
  add_up_repeats(exec, A);
  part_of(exec, A, MatrixPart::lower);
  drop_small(exec, A, 0.1);
  submatrix(exec, A, list, list);
  permute(exec, A, reverse_cuthill_mckee(exec, A));
  permute(exec, A, order_by_degree(exec, A));
  add(exec, 1, A, 1, A).update_values(exec, A, A);
  symmetric_part(exec, A);
  row_of_entries(exec, A, list);
  const Kokkos::View<typename Matrix::scalar_type*, Gpu> values("values", list.extent(0));
  assemble(exec, A.rows(), A.columns(), list, list, values).update_values(exec, values);
  diagonal(exec, A, values);
  scale_rows(exec, A, values, values);
  scale_columns(exec, A, values, values);
  scale(exec, A, values, values, values);
  auto blocks = to_blocks(exec, A, 3);
  blocks.update_values(exec, A);
  from_blocks(exec, blocks.matrix()).update_values(exec, blocks.values());
}

template <Scalar S>
double operations(const Gpu& exec, const Kokkos::View<int*, Gpu>& list) {
  const auto I = identity<S, int, int>(exec, 3);
  const auto A = I.matrix();
  products(exec, A);
  derived(exec, A, list);
  return norm_max(exec, A) + norm_frobenius(exec, A) + norm_infinity(exec, A) + norm_one(exec, A) +
         largest_difference(exec, A, A) + (is_symmetric(exec, A) ? 1 : 0);
}

template double operations<double>(const Gpu&, const Kokkos::View<int*, Gpu>&);
template double operations<Kokkos::complex<double>>(const Gpu&, const Kokkos::View<int*, Gpu>&);

}  // namespace heddle
