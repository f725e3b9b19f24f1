// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps of Gauss-Seidel over rows and over blocks, for the scalar of one word and the one of two,
// and colors. The products and solves of gauss-seidel/split are compiled by the other files.
#include <heddle/gauss_seidel.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

template <class Sweeps, class Matrix>
void sweep(const Gpu& exec, Sweeps& sweeps) {
  sweeps.update_values(exec, Matrix(), nullptr);
  sweeps.run(exec, {}, 2, true);
  sweeps.run(exec, {}, 2, false);
}

template <Scalar S>
void sweeps(const Gpu& exec) {
  namespace gs = detail::gauss_seidel;
  using Matrix = CsrMatrix<S, int, int, Gpu::memory_space>;
  const Matrix A;
  const detail::ordered::Colors<Gpu, int> colors(exec, A);
  gs::Sweeps<Gpu, gs::SideRows<Gpu, Matrix>> rows({exec, A, {}, 0, 1, 0}, {}, std::nullopt);
  gs::BlockSweeps<Gpu, Matrix> blocks(exec, gs::BlockGraph<Gpu, Matrix>(exec, A, 2), {}, {}, {});
  sweep<decltype(rows), Matrix>(exec, rows);
  sweep<decltype(blocks), Matrix>(exec, blocks);
}

template void sweeps<double>(const Gpu&);
template void sweeps<Kokkos::complex<double>>(const Gpu&);

}  // namespace heddle
