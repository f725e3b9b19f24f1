// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../../core/real_part.hpp"
#include "aggregates.hpp"
#include "spectrum.hpp"
#include "tentative.hpp"

/// Strong entries of a level's matrix, and the matrix that smooths a prolongation.
namespace heddle::detail::multigrid {

/// Which entries are kept: strong ones, and the diagonal.
template <class Matrix>
struct MarkStrong {
  using S = typename Matrix::scalar_type;
  using Off = typename Matrix::offset_type;
  Matrix A;
  const S* diagonal;
  double threshold_squared;
  unsigned char* kept;
  Off* kept_in_row;

  KOKKOS_FORCEINLINE_FUNCTION static double square(const S& value) {
    const double size = static_cast<double>(Kokkos::abs(value));
    return size * size;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double own = static_cast<double>(Kokkos::abs(diagonal[i]));
    Off count = 0;
    for (Off k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      const auto j = A.col_idx().data()[k];
      const double other = static_cast<double>(Kokkos::abs(diagonal[j]));
      const bool keep = static_cast<std::int64_t>(j) == i ||
                        square(A.values().data()[k]) > threshold_squared * own * other;
      kept[k] = keep;
      count += keep;
    }
    kept_in_row[i] = count;
  }
};

/// Their columns, and how strong each is, over what its row shares.
template <class Matrix>
struct PutStrong {
  using Off = typename Matrix::offset_type;
  using O = typename Matrix::ordinal_type;
  MarkStrong<Matrix> marked;
  const Off* row_ptr;
  O* col_idx;
  float* strength;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Matrix& A = marked.A;
    Off to = row_ptr[i];
    for (Off k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      if (!marked.kept[k]) continue;
      const O j = A.col_idx().data()[k];
      const double other = static_cast<double>(Kokkos::abs(marked.diagonal[j]));
      col_idx[to] = j;
      strength[to] = static_cast<float>(marked.square(A.values().data()[k]) / other);
      ++to;
    }
  }
};

/// Values of I - omega D^-1 A on the places that are kept, with omega 4 / 3 over the bound of the
/// spectrum. Weak entries are added to the diagonal, so that the product with a near-nullspace
/// vector, of those the largest in the row, stays what it is; unless that would take most of the
/// diagonal.
template <class Matrix>
struct SmoothingValues {
  using S = typename Matrix::scalar_type;
  using Off = typename Matrix::offset_type;
  Matrix A;
  const unsigned char* kept;
  const Off* row_ptr;
  S* values;
  NearNullspace<S> vectors;
  const SpectrumNumbers* numbers;

  KOKKOS_FORCEINLINE_FUNCTION int largest_vector(std::int64_t i) const {
    int largest = 0;
    for (int v = 1; v < vectors.vectors; ++v) {
      if (Kokkos::abs(vectors(i, v)) > Kokkos::abs(vectors(i, largest))) largest = v;
    }
    return largest;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Off begin = A.row_ptr().data()[i], end = A.row_ptr().data()[i + 1];
    const auto* const col_idx = A.col_idx().data();
    const S* const from = A.values().data();
    const int vector = largest_vector(i);
    S diagonal(0), weak(0);
    for (Off k = begin; k < end; ++k) {
      if (static_cast<std::int64_t>(col_idx[k]) == i) {
        diagonal += from[k];
      } else if (!kept[k]) {
        weak += from[k] * vectors(col_idx[k], vector);
      }
    }
    const S own = vectors(i, vector);
    const S lumped = own == S(0) ? diagonal : diagonal + weak / own;
    if (real_part(lumped) > heddle::RealOf<S>(0.1) * real_part(diagonal)) diagonal = lumped;
    const auto omega = static_cast<heddle::RealOf<S>>(4 / (3 * numbers->bound));
    const S factor = S(-omega) / diagonal;
    S of_diagonal = S(1 - omega);  // once, of entries that repeat the place
    Off to = row_ptr[i];
    for (Off k = begin; k < end; ++k) {
      if (static_cast<std::int64_t>(col_idx[k]) == i) {
        values[to++] = of_diagonal;
        of_diagonal = S(0);
      } else if (kept[k]) {
        values[to++] = factor * from[k];
      }
    }
  }
};

/// The matrix that smooths the prolongation of a level: its pattern and strong entries by the
/// constructor, which allocates and waits, its values by update_values.
template <ExecutionSpace Exec, class Matrix>
class SmoothingMatrix {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using Graph = StrongGraph<O, Off, float>;

  SmoothingMatrix() = default;
  SmoothingMatrix(const Exec& exec, const Matrix& A, const S* diagonal, double threshold) {
    const auto n = static_cast<std::size_t>(A.rows());
    const auto entries = static_cast<std::size_t>(A.nonzeros());
    kept_memory_ = Arena<Space>(exec, "heddle::multigrid::kept", arena_bytes<std::byte>(entries));
    kept_ = reinterpret_cast<unsigned char*>(kept_memory_.template take<std::byte>(entries).data());
    Arena<Space> work(exec, "heddle::multigrid::kept_in_row", arena_bytes<Off>(n + 1));
    Off* const starts = work.template take<Off>(n + 1).data();
    const MarkStrong<Matrix> mark{A, diagonal, threshold * threshold, kept_, starts};
    parallel_for(exec, "heddle::multigrid::mark_strong", A.rows(), mark);
    const std::int64_t kept =
        running_sum_and_total(exec, "heddle::multigrid::strong_row_ptr", starts,
                              std::int64_t{A.rows()}, Terms<Off>{starts});
    storage_ = CsrStorage<S, O, Off, Space>(exec, A.rows(), A.columns(), kept);
    strength_memory_ = Arena<Space>(exec, "heddle::multigrid::strength",
                                    arena_bytes<float>(static_cast<std::size_t>(kept)));
    strength_ = strength_memory_.template take<float>(static_cast<std::size_t>(kept)).data();
    detail::copy(exec, "heddle::multigrid::strong_row_ptr", storage_.row_ptr().data(),
                 std::int64_t{A.rows()} + 1, starts);
    parallel_for(
        exec, "heddle::multigrid::put_strong", A.rows(),
        PutStrong<Matrix>{mark, storage_.row_ptr().data(), storage_.col_idx().data(), strength_});
    exec.fence("heddle::multigrid::strong");
  }

  void update_values(const Exec& exec, const Matrix& A, const NearNullspace<S>& vectors,
                     const SpectrumNumbers* numbers) {
    parallel_for(exec, "heddle::multigrid::smoothing_values", A.rows(),
                 SmoothingValues<Matrix>{A, kept_, storage_.row_ptr().data(),
                                         storage_.values().data(), vectors, numbers});
  }
  /// While strengths are there.
  Graph graph() const {
    return {storage_.row_ptr().data(), storage_.col_idx().data(), strength_, storage_.rows()};
  }
  void forget_strengths() { strength_memory_ = {}; }
  Matrix matrix() const { return storage_.matrix(); }
  std::size_t bytes() const { return kept_memory_.bytes() + storage_.bytes(); }

 private:
  Arena<Space> kept_memory_, strength_memory_;
  unsigned char* kept_ = nullptr;
  float* strength_ = nullptr;
  CsrStorage<S, O, Off, Space> storage_;
};

}  // namespace heddle::detail::multigrid
