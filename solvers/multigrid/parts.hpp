// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "../../core/matrix.hpp"

namespace heddle {

/// A smoother of your own, of one level: derive from it, and return one from
/// MultigridParts::smoother. Functions queue work on `exec`; where a cycle is captured they must
/// neither wait nor allocate.
template <ExecutionSpace Exec, class Matrix>
class MultigridLevelSmoother {
 public:
  using scalar_type = typename Matrix::scalar_type;
  /// As many columns as there are vectors, of any stride.
  template <class T>
  using VectorsOf = Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Vectors = VectorsOf<scalar_type>;
  using ConstVectors = VectorsOf<const scalar_type>;

  virtual ~MultigridLevelSmoother() = default;
  /// Smooths A x = b before the correction from the next level: x, which is not initialized, from
  /// zero.
  virtual void before(const Exec& exec, const ConstVectors& b, const Vectors& x) = 0;
  /// Smooths after the correction, from the x that is there. It should be the adjoint of before():
  /// else the cycle is not symmetric, and no preconditioner of CG.
  virtual void after(const Exec& exec, const ConstVectors& b, const Vectors& x) = 0;
  /// New values of the level's matrix, of the same pattern.
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;
  /// Device memory that it holds, for MultigridPlan::bytes.
  virtual std::size_t bytes() const { return 0; }
};

/// Parts of a MultigridPlan that you bring; Heddle's own stand in for those that are empty.
/// Each function is called once a level while the plan is made. level: 0 for the finest, whose
/// matrix A is. Matrix: of signed offsets. docs/multigrid.md
template <ExecutionSpace Exec, class Matrix>
struct MultigridParts {
  using Space = typename Exec::memory_space;
  using ordinal_type = typename Matrix::ordinal_type;
  using Smoother = MultigridLevelSmoother<Exec, Matrix>;
  using Prolongation =
      CsrStorage<typename Matrix::scalar_type, ordinal_type, typename Matrix::offset_type, Space>;
  using Aggregates = Kokkos::View<ordinal_type*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// The smoother of a level that is smoothed. A refers to memory of the plan, or of the user for
  /// level 0, that stays until the next update_values. It takes the place of options.smoother and
  /// options.degree.
  std::function<std::unique_ptr<Smoother>(const Exec& exec, int level, const Matrix& A)> smoother;

  /// Writes the aggregate of each node, 0 to count - 1, or -1 for none, and returns count; each
  /// aggregate has a node. A node is options.block_size rows of the finest level, and one row for
  /// each near-nullspace vector of others. 0: the level becomes the last.
  std::function<ordinal_type(const Exec& exec, int level, const Matrix& A,
                             const Aggregates& aggregate)>
      aggregates;

  /// P of a level: as many rows as A, an entry or more in each column. R is its conjugate transpose
  /// and R A P the next matrix. P stays as it is when the plan takes new values. An empty one: the
  /// level becomes the last. Aggregates, near-nullspace and strength have no part in it.
  std::function<Prolongation(const Exec& exec, int level, const Matrix& A)> prolongation;
};

}  // namespace heddle
