// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <utility>

#include "../../backends/algorithms/bad_row.hpp"
#include "../../backends/algorithms/csr_view.hpp"
#include "../../backends/algorithms/make_rows.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../formats/definitions.hpp"
#include "../../formats/spmv_plan.hpp"
#include "../sptrsv/definitions.hpp"
#include "../sptrsv/plan.hpp"
#include "../triangle/triangle.hpp"
#include "../vectors/definitions.hpp"
#include "check.hpp"
#include "options.hpp"

namespace heddle::detail::gauss_seidel {

/// A part of a matrix: one triangle without the diagonal, and `diagonal` times the diagonal, unless
/// that is zero.
template <class Real>
struct Part {
  Triangle triangle;
  Real diagonal;

  KOKKOS_FORCEINLINE_FUNCTION bool has(std::int64_t row, std::int64_t column) const {
    if (row == column) return diagonal != Real(0);
    return triangle == Triangle::lower ? column < row : column > row;
  }
};

template <class Matrix>
using PartOf = Part<heddle::RealOf<typename Matrix::scalar_type>>;

/// Number of entries of a row that belong to the part.
template <class Matrix>
struct CountEntries {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* row_ptr;
  const O* col_idx;
  PartOf<Matrix> part;

  KOKKOS_FUNCTION Off operator()(std::int64_t row) const {
    Off entries = 0;
    for (Off e = row_ptr[row]; e < row_ptr[row + 1]; ++e) {
      if (part.has(row, static_cast<std::int64_t>(col_idx[e]))) ++entries;
    }
    return entries;
  }
};

/// Copies the entries of the part in their order; with col_idx_to null only their values. If A has
/// another pattern, copies no more than the row has room for.
template <class Matrix>
struct FillEntries {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  CsrViewOf<Matrix> A;
  const Off* row_ptr_to;
  O* col_idx_to;
  S* values_to;
  PartOf<Matrix> part;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    Off to = row_ptr_to[row];
    const Off end = row_ptr_to[row + 1];
    for (Off e = A.row_ptr[row]; e < A.row_ptr[row + 1]; ++e) {
      const auto column = static_cast<std::int64_t>(A.col_idx[e]);
      if (!part.has(row, column)) continue;
      if (to == end) return;
      if (col_idx_to) col_idx_to[to] = A.col_idx[e];
      values_to[to] = column == row ? S(part.diagonal) * A.values[e] : A.values[e];
      ++to;
    }
  }
};

/// Marks the lowest row whose diagonal is bad.
template <class Matrix>
struct FindBadDiagonal {
  CsrViewOf<Matrix> A;
  std::int64_t* bad_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    if (triangle::is_bad_diagonal(A.diagonal(row))) triangle::mark_bad_row(bad_diagonal, row);
  }
};

/// A part of A in its own arrays. update_values reads the pattern of A.
template <ExecutionSpace Exec, class Matrix>
class PartMatrix {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  /// Allocates, and waits for `exec`: the number of entries is read back.
  PartMatrix(const Exec& exec, const Matrix& A, const PartOf<Matrix>& part) : part_(part) {
    constexpr RowLabels labels{"heddle::gauss_seidel::count", "heddle::gauss_seidel::row_ptr",
                               "heddle::gauss_seidel::fill"};
    storage_ = make_rows<S, O, Off>(
        exec, labels, A.rows(), A.rows(),
        CountEntries<Matrix>{A.row_ptr().data(), A.col_idx().data(), part},
        [&](const auto& storage) { return fill(A, storage, storage.col_idx().data()); });
  }

  void update_values(const Exec& exec, const Matrix& A) {
    Kokkos::parallel_for("heddle::gauss_seidel::fill", range_policy(exec, A.rows()),
                         fill(A, storage_, nullptr));
  }
  CsrMatrix<S, O, Off, Space> matrix() const { return storage_.matrix(); }
  std::size_t bytes() const { return storage_.bytes(); }

 private:
  using Storage = CsrStorage<S, O, Off, Space>;

  FillEntries<Matrix> fill(const Matrix& A, const Storage& to, O* col_idx_to) const {
    return {csr_view(A), to.row_ptr().data(), col_idx_to, to.values().data(), part_};
  }

  PartOf<Matrix> part_;
  Storage storage_;
};

/// Runs gauss-seidel/split: t = b - R x by a product with the entries that a half sweep does not
/// solve with (SpmvPlan), then a triangular solve with the others (SptrsvPlan):
/// (D / omega + L) x = b - (U + (1 - 1 / omega) D) x forward, with L and U exchanged backward. From
/// zero the first half sweep is the solve alone.
template <ExecutionSpace Exec, class Matrix, class FormatList>
class Split final : public Executor<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using Space = typename Exec::memory_space;

  /// Allocates, and waits for `exec`.
  Split(const Exec& exec, const Matrix& A, const GaussSeidelOptions& options)
      : options_(options), rows_(static_cast<std::size_t>(A.rows())) {
    if (options.sweep != SweepDirection::backward)
      halves_[0].emplace(exec, A, Triangle::lower, options);
    if (options.sweep != SweepDirection::forward)
      halves_[1].emplace(exec, A, Triangle::upper, options);
    const std::size_t entries = rows_ * static_cast<std::size_t>(options.vectors.count);
    arena_ =
        Arena<Space>(exec, "heddle::gauss_seidel::right_hand_side", arena_array(right_, entries));
  }

  const Scheme& scheme(bool) const override { return scheme_; }
  int levels(bool forward) const override { return half(forward).solve.levels(); }
  bool has(bool forward) const override { return halves_[forward ? 0 : 1].has_value(); }
  const Scheme* sptrsv_scheme(bool forward) const override { return &half(forward).solve.scheme(); }
  const Scheme* spmv_scheme(bool forward) const override { return &half(forward).product.scheme(); }
  std::size_t bytes() const override {
    std::size_t bytes = arena_.bytes();
    for (const auto& half : halves_) bytes += half ? half->bytes() : 0;
    return bytes;
  }

  /// Copies the values of A. *bad_diagonal: see Executor.
  void update_values(const Exec& exec, const Matrix& A, std::int64_t* bad_diagonal) override {
    for (auto& half : halves_) {
      if (half) half->update_values(exec, A);
    }
    Kokkos::parallel_for("heddle::gauss_seidel::check_values", range_policy(exec, A.rows()),
                         FindBadDiagonal<Matrix>{csr_view(A), bad_diagonal});
  }

  void run(const Exec& exec, const SweepVectors<S>& vectors, int sweeps, bool from_zero) override {
    const auto b = view_of(vectors.b);
    const auto x = view_of(vectors.x);
    const Vectors<S> t(right_, Kokkos::LayoutStride(rows_, 1, b.extent(1), rows_));
    Half* last = nullptr;
    bool last_from_zero = from_zero;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (auto& half : halves_) {
        if (!half) continue;
        last = &*half;
        last_from_zero = std::exchange(from_zero, false);
        if (last_from_zero) {
          half->solve.apply(exec, b, x);
        } else {
          heddle::vectors::copy(exec, b, t);
          half->product.apply(exec, S(-1), x, S(1), t);
          half->solve.apply(exec, t, x);
        }
      }
    }
    if (!last || !vectors.residual.data) return;
    const auto residual = view_of(vectors.residual);
    // The solved part times x is the right-hand side of the last solve, t or b.
    if (!last_from_zero) {
      heddle::vectors::copy(exec, b, residual);
      heddle::vectors::axpy(exec, S(-1), t, residual);
    }
    last->product.apply(exec, S(-1), x, S(last_from_zero ? 0 : 1), residual);
  }

 private:
  template <class T>
  using Vectors = Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  template <class T>
  static Vectors<T> view_of(const Multivector<T>& v) {
    return Vectors<T>(v.data, Kokkos::LayoutStride(static_cast<std::size_t>(v.rows),
                                                   static_cast<std::size_t>(v.row_stride),
                                                   static_cast<std::size_t>(v.count),
                                                   static_cast<std::size_t>(v.vector_stride)));
  }

  using Real = heddle::RealOf<S>;
  using PartMatrix = gauss_seidel::PartMatrix<Exec, Matrix>;
  using Copy = CsrMatrix<S, typename Matrix::ordinal_type, typename Matrix::offset_type, Space>;

  struct Half {
    PartMatrix solved, rest;
    SptrsvPlan<Exec, Copy> solve;
    SpmvPlan<Exec, Copy, S, S, FormatList> product;

    Half(const Exec& exec, const Matrix& A, Triangle triangle, const GaussSeidelOptions& options)
        : solved(exec, A, {triangle, static_cast<Real>(1 / options.omega)}),
          rest(exec, A, {triangle::flipped(triangle), static_cast<Real>(1 - 1 / options.omega)}),
          solve(exec, solved.matrix(), sptrsv_options(triangle, options)),
          product(exec, rest.matrix(), spmv_options(options)) {}

    static SptrsvOptions sptrsv_options(Triangle triangle, const GaussSeidelOptions& options) {
      SptrsvOptions of_solve;
      of_solve.triangle = triangle;
      of_solve.expected_applies = options.expected_applies;
      of_solve.measure_seconds = options.measure_seconds;
      of_solve.cache = options.cache;
      of_solve.scheme = options.sptrsv_scheme;
      of_solve.vectors = options.vectors;
      of_solve.threads = options.threads;
      of_solve.check_pattern = false;  // GaussSeidelPlan checks it
      return of_solve;
    }
    static SpmvOptions spmv_options(const GaussSeidelOptions& options) {
      SpmvOptions of_product;
      of_product.expected_applies = options.expected_applies;
      of_product.measure_seconds = options.measure_seconds;
      of_product.cache = options.cache;
      of_product.scheme = options.spmv_scheme;
      of_product.vectors = options.vectors;
      return of_product;
    }
    void update_values(const Exec& exec, const Matrix& A) {
      solved.update_values(exec, A);
      rest.update_values(exec, A);
      solve.update_values(exec, solved.matrix());
      product.update_values(exec, rest.matrix());
    }
    std::size_t bytes() const {
      return solved.bytes() + rest.bytes() + solve.bytes() + product.bytes();
    }
  };

  const Half& half(bool forward) const { return *halves_[forward ? 0 : 1]; }

  GaussSeidelOptions options_;
  std::size_t rows_;
  Scheme scheme_ = Scheme("gauss-seidel", {{"split"}});
  std::array<std::optional<Half>, 2> halves_;  // forward and backward
  Arena<Space> arena_;
  S* right_ = nullptr;
};

}  // namespace heddle::detail::gauss_seidel
