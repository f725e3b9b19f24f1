// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../core/arena.hpp"
#include "../../core/check_size.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../core/overlap.hpp"
#include "options.hpp"

namespace heddle::detail {

namespace direct {

/// Factors P A = L U, or a matrix on the way to them, column by column: dense, or a band with room
/// for the fill of row exchanges. L has ones on the diagonal, which are not stored. A panel is a
/// group of columns that are factored together. The rows of L are exchanged within the panel of
/// their column, and in a dense matrix in all columns.
template <Scalar S>
struct Factors {
  S* values = nullptr;
  std::int64_t* pivot = nullptr;  ///< the row that was exchanged with row j in step j
  std::int64_t rows = 0;
  std::int64_t stride = 0;    ///< from an entry to the next one of its row
  std::int64_t diagonal = 0;  ///< place of entry (0, 0)
  std::int64_t below = 0;     ///< diagonals below the main one, before rows are exchanged
  std::int64_t above = 0;     ///< diagonals above the main one, with fill
  int panel = 1;              ///< columns of a panel
  bool dense = false;

  KOKKOS_FORCEINLINE_FUNCTION S& operator()(std::int64_t i, std::int64_t j) const {
    return values[j * stride + i + diagonal];
  }
  /// Entries that there is room for.
  std::int64_t entries() const { return rows * (dense ? stride : stride + 1); }
  /// Whether there is room for entry (i, j), j >= i.
  KOKKOS_FORCEINLINE_FUNCTION bool holds(std::int64_t i, std::int64_t j) const {
    return j - i <= above;
  }
  /// Columns of the panel that begins at column `first`.
  KOKKOS_FORCEINLINE_FUNCTION int width(std::int64_t first) const {
    return static_cast<int>(Kokkos::min<std::int64_t>(panel, rows - first));
  }
};

}  // namespace direct

/// Implementation of DirectPlan, with signed offsets. Defined in definitions.hpp.
template <ExecutionSpace Exec, class Matrix>
class DirectPlanCore {
 public:
  using S = typename Matrix::scalar_type;
  using Space = typename Exec::memory_space;

  DirectPlanCore(const Exec& exec, const Matrix& A, const DirectOptions& options);

  static DirectForecast forecast(const Exec& exec, const Matrix& A, const DirectOptions& options);

  void apply(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x) const;
  void update_values(const Exec& exec, const Matrix& A);
  using Word = Kokkos::View<const std::int64_t, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Word bad_row() const { return Word(bad_); }
  void check_values(const Exec& exec) const;

  const Scheme& scheme() const { return forecast_.scheme; }
  const DirectForecast& forecast() const { return forecast_; }
  std::string explain() const { return forecast_.scheme.to_string() + explanation_; }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Order = Kokkos::View<O*, Space>;

  /// A way to factor, and what it needs.
  struct Way {
    DirectForecast forecast;
    Order order = {};  ///< the row of A that is row i of the band; empty: i
  };

  /// Throws Error for a matrix or options that are unfit.
  static void check(const Exec& exec, const Matrix& A, const DirectOptions& options);
  /// Predicts all ways that the options allow, the best first.
  static std::vector<Way> ways(const Exec& exec, const Matrix& A, const DirectOptions& options);
  static Way dense_way(const Matrix& A, const DirectOptions& options);
  static Way band_way(const Exec& exec, const Matrix& A, const DirectOptions& options,
                      const Order& order);
  static double bytes_of(const Matrix& A, const DirectOptions& options, double entries,
                         bool ordered);
  /// The best way that needs no more than `limit` bytes; if there is none, that of the fewest
  /// bytes.
  static const Way& best(const std::vector<Way>& ways, std::size_t limit);

  void allocate(const Exec& exec, const Matrix& A, const Order& order);
  void solve(const Exec& exec, int count) const;

  std::int64_t rows_;
  std::int64_t nonzeros_;
  DirectForecast forecast_;
  std::string explanation_;
  PatternKey pattern_;
  int room_;   ///< vectors at once
  int steps_;  ///< of refinement

  Arena<Space> arena_;
  direct::Factors<S> factors_;
  double *row_unit_ = nullptr, *column_size_ = nullptr;
  std::int64_t* source_ = nullptr;  ///< the row of b that is row i of the right-hand side
  std::int64_t *order_ = nullptr, *place_ = nullptr;  ///< of a reordered band, and its inverse
  S *work_ = nullptr, *refined_ = nullptr;            ///< a column for each vector
  std::int64_t* bad_ = nullptr;  ///< see bad_row; then whether that is a column without a pivot
  int* meeting_words_ = nullptr;
  Off* row_ptr_ = nullptr;  ///< these and the next two: A, for refinement
  O* col_idx_ = nullptr;
  S* values_ = nullptr;
  OverlapCheck<Exec> overlap_;
};

}  // namespace heddle::detail
