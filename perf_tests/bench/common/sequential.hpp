// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain loops on one thread of the host, which are baselines and references.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "../../../solvers/ilu/options.hpp"
#include "../../../solvers/sptrsv/options.hpp"
#include "../../../testing/wide.hpp"
#include "load.hpp"

namespace heddle::bench {

/// The norm of b - A x in wide precision over ten times `tolerance` times that of b, for vectors of
/// one column. A residual that an iteration updates drifts from this one.
template <Scalar S, Offset Off, class Columns>
double solve_error(const HostStorage<S, Off>& A, const Columns& b, const Columns& x,
                   double tolerance) {
  using test::detail::Wide, test::detail::magnitude;
  long double rest = 0, all = 0;
  for (std::size_t i = 0; i < b.extent(0); ++i) {
    Wide sum(b(i, 0));
    all += magnitude(sum) * magnitude(sum);
    each_entry(A, i,
               [&](std::size_t j, const S& value) { sum = sum - Wide(value) * Wide(x(j, 0)); });
    rest += magnitude(sum) * magnitude(sum);
  }
  return static_cast<double>(std::sqrt(rest)) /
         (10 * tolerance * static_cast<double>(std::sqrt(all)));
}

/// A vector viewed as a matrix of one column.
template <Scalar S>
auto as_column(const Kokkos::View<S*, Kokkos::HostSpace>& vector) {
  using Column = Kokkos::View<S**, Kokkos::LayoutLeft, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return Column(vector.data(), vector.extent(0), 1);
}

/// Kernels of one thread for krylov_loops.hpp.
template <Scalar S, Offset Off>
class SequentialKernels {
 public:
  using Vector = Kokkos::View<S*, Kokkos::HostSpace>;

  explicit SequentialKernels(const HostStorage<S, Off>& A)
      : A_(A), rows_(static_cast<std::size_t>(A.rows())) {}

  Vector vector(const char* label) const { return Vector(std::string(label), rows_); }
  void product(const Vector& x, const Vector& y) const {
    for (std::size_t i = 0; i < rows_; ++i) {
      S sum(0);
      for (Off k = A_.row_ptr()(i); k < A_.row_ptr()(i + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        sum += A_.values()(at) * x(static_cast<std::size_t>(A_.col_idx()(at)));
      }
      y(i) = sum;
    }
  }
  S dot(const Vector& x, const Vector& y) const {
    S sum(0);
    for (std::size_t i = 0; i < rows_; ++i) sum += conjugate(x(i)) * y(i);
    return sum;
  }
  void axpby(S a, const Vector& x, S b, const Vector& y) const {
    if (b == S(0)) {
      for (std::size_t i = 0; i < rows_; ++i) y(i) = a * x(i);
    } else {
      for (std::size_t i = 0; i < rows_; ++i) y(i) = a * x(i) + b * y(i);
    }
  }

 private:
  HostStorage<S, Off> A_;
  std::size_t rows_;
};

/// Solves op(T) x = alpha b row by row, by a plain loop on one thread of the host. T is as in
/// SptrsvProblem; b and x have rank 2.
template <class Matrix, class S, class B, class X>
void substitute(const Matrix& T, Triangle triangle, Diagonal diagonal, Op op, S alpha, const B& b,
                const X& x) {
  const auto* const row_ptr = T.row_ptr().data();
  const auto* const col_idx = T.col_idx().data();
  const auto* const values = T.values().data();
  const bool lower = triangle == Triangle::lower, unit = diagonal == Diagonal::unit;
  const bool conjugated = conjugates(op), scatters = transposes(op);
  const auto entry = [&](auto k) { return conjugated ? conjugate(values[k]) : values[k]; };
  const auto rows = static_cast<std::int64_t>(T.rows());
  for (std::size_t v = 0; v < x.extent(1); ++v) {
    if (scatters) {
      for (std::int64_t i = 0; i < rows; ++i) x(i, v) = alpha * b(i, v);
    }
    for (std::int64_t step = 0; step < rows; ++step) {
      const std::int64_t i = lower != scatters ? step : rows - 1 - step;
      // The diagonal is the last entry of a lower row and the first of an upper one.
      const auto begin = row_ptr[i] + (lower ? 0 : 1), end = row_ptr[i + 1] - (lower ? 1 : 0);
      const auto at_diagonal = lower ? end : begin - 1;
      S value = scatters ? x(i, v) : alpha * b(i, v);
      if (!scatters) {
        for (auto k = begin; k < end; ++k) value -= entry(k) * x(col_idx[k], v);
      }
      if (!unit) value /= entry(at_diagonal);
      x(i, v) = value;
      if (scatters) {
        for (auto k = begin; k < end; ++k) x(col_idx[k], v) -= entry(k) * value;
      }
    }
  }
}

/// Factors on the host: L without its diagonal of ones and U in one, or L alone; columns ascend.
template <class RowPtr, class ColIdx, class Values>
struct HostFactors {
  RowPtr row_ptr;
  ColIdx col_idx;
  Values values;
  bool cholesky;

  std::size_t rows() const { return row_ptr.extent(0) > 0 ? row_ptr.extent(0) - 1 : 0; }
  std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(row_ptr(i)); }
  std::size_t column(std::size_t k) const { return static_cast<std::size_t>(col_idx(k)); }
};
template <class RowPtr, class ColIdx, class Values>
HostFactors(RowPtr, ColIdx, Values, bool) -> HostFactors<RowPtr, ColIdx, Values>;

/// Plain sequential ILU(k) and IC(k) by rows with a row of markers. Source: Y. Saad, "Iterative
/// methods for sparse linear systems", 2nd edition, algorithms 10.4 and 10.5, as in SPARSKIT.
template <Scalar S, Offset Off>
class SequentialFactors {
 public:
  SequentialFactors(const HostStorage<S, Off>& A, const IluOptions& options, bool cholesky)
      : A_(A), cholesky_(cholesky) {
    if (options.block_size > 1) {
      throw Error("the sequential program has no blocks", "leave out --block or the program");
    }
    if (cholesky_ && options.fill_level > 0) {
      throw Error("the sequential program has IC(0) alone", "leave out --level or the program");
    }
    find_pattern(options.fill_level, options.subdomains);
    place_.assign(rows(), Off(-1));
    pivot_floor_ = static_cast<RealOf<S>>(options.pivot_floor);
    factor();
  }

  void factor() {
    for (std::size_t i = 0; i < rows(); ++i) {
      load_row(i);
      if (cholesky_) {
        cholesky_row(i);
      } else {
        eliminate_row(i);
      }
      for (std::size_t k = begin(i); k < begin(i + 1); ++k) place_[column(k)] = Off(-1);
    }
  }

  /// x = (LU)^-1 b, column by column, for host Views of rank 2.
  template <class B, class X>
  void solve(const B& b, const X& x) const {
    for (std::size_t v = 0; v < b.extent(1); ++v) {
      for (std::size_t i = 0; i < rows(); ++i) {
        S value = b(i, v);
        for (std::size_t k = begin(i); k < diagonal(i); ++k) value -= values_[k] * x(column(k), v);
        x(i, v) = cholesky_ ? value / values_[diagonal(i)] : value;
      }
      for (std::size_t i = rows(); i-- > 0;) {
        if (cholesky_) {
          x(i, v) /= values_[diagonal(i)];
          for (std::size_t k = begin(i); k < diagonal(i); ++k) {
            x(column(k), v) -= conjugate(values_[k]) * x(i, v);
          }
        } else {
          S value = x(i, v);
          for (std::size_t k = diagonal(i) + 1; k < begin(i + 1); ++k) {
            value -= values_[k] * x(column(k), v);
          }
          x(i, v) = value / values_[diagonal(i)];
        }
      }
    }
  }

  auto on_host() const {
    const auto view = []<class T>(const std::vector<T>& from) {
      return Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          from.data(), from.size());
    };
    return HostFactors{view(row_ptr_), view(col_idx_), view(values_), cholesky_};
  }
  std::size_t bytes() const {
    return row_ptr_.size() * sizeof(Off) + col_idx_.size() * (sizeof(Index) + sizeof(S)) +
           rows() * 2 * sizeof(Off);
  }

 private:
  std::size_t rows() const { return diagonal_.size(); }
  std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(row_ptr_[i]); }
  std::size_t column(std::size_t k) const { return static_cast<std::size_t>(col_idx_[k]); }
  std::size_t diagonal(std::size_t i) const { return static_cast<std::size_t>(diagonal_[i]); }

  /// Symbolic factorization, row by row, from the levels of fill of the rows above.
  void find_pattern(int most, int subdomains) {
    const auto n = static_cast<std::size_t>(A_.rows());
    std::vector<int> level_of(n, -1), level;
    std::vector<Index> row;
    row_ptr_.assign(1, Off(0));
    for (std::size_t i = 0; i < n; ++i) {
      row.clear();
      const auto part = [&](std::size_t j) { return j * static_cast<std::size_t>(subdomains) / n; };
      for (Off k = A_.row_ptr()(i); k < A_.row_ptr()(i + 1); ++k) {
        const Index j = A_.col_idx()(static_cast<std::size_t>(k));
        if (cholesky_ && static_cast<std::size_t>(j) > i) continue;
        if (part(static_cast<std::size_t>(j)) != part(i)) continue;
        row.push_back(j);
        level_of[static_cast<std::size_t>(j)] = 0;
      }
      if (most > 0) {
        for (std::size_t p = 0; p < row.size() && static_cast<std::size_t>(row[p]) < i; ++p) {
          const auto t = static_cast<std::size_t>(row[p]);
          const int left = level_of[t];
          const std::size_t before = row.size();
          for (std::size_t q = diagonal(t) + 1; q < begin(t + 1); ++q) {
            const int fill = left + level[q] + 1;
            int& at = level_of[column(q)];
            if (fill > most) continue;
            if (at < 0) row.push_back(col_idx_[q]);
            if (at < 0 || at > fill) at = fill;
          }
          if (row.size() > before) {
            std::inplace_merge(row.begin() + static_cast<std::ptrdiff_t>(p) + 1,
                               row.begin() + static_cast<std::ptrdiff_t>(before), row.end());
          }
        }
      }
      for (const Index j : row) {
        if (static_cast<std::size_t>(j) == i)
          diagonal_.push_back(static_cast<Off>(col_idx_.size()));
        col_idx_.push_back(j);
        level.push_back(std::exchange(level_of[static_cast<std::size_t>(j)], -1));
      }
      row_ptr_.push_back(static_cast<Off>(col_idx_.size()));
    }
    values_.resize(col_idx_.size());
  }

  void load_row(std::size_t i) {
    for (std::size_t k = begin(i); k < begin(i + 1); ++k) {
      place_[column(k)] = static_cast<Off>(k);
      values_[k] = S(0);
    }
    for (Off k = A_.row_ptr()(i); k < A_.row_ptr()(i + 1); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Off to = place_[static_cast<std::size_t>(A_.col_idx()(at))];
      if (to != Off(-1)) values_[static_cast<std::size_t>(to)] = A_.values()(at);
    }
  }
  S lifted(const S& pivot) const {
    const auto size = Kokkos::abs(pivot);
    if (!(size < pivot_floor_)) return pivot;
    return size > 0 ? pivot * S(pivot_floor_ / size) : S(pivot_floor_);
  }
  void eliminate_row(std::size_t i) {
    for (std::size_t k = begin(i); k < diagonal(i); ++k) {
      const std::size_t t = column(k);
      const S multiplier = values_[k] / values_[diagonal(t)];
      values_[k] = multiplier;
      for (std::size_t q = diagonal(t) + 1; q < begin(t + 1); ++q) {
        const Off to = place_[column(q)];
        if (to != Off(-1)) values_[static_cast<std::size_t>(to)] -= multiplier * values_[q];
      }
    }
    values_[diagonal(i)] = lifted(values_[diagonal(i)]);
  }
  void cholesky_row(std::size_t i) {
    for (std::size_t k = begin(i); k < begin(i + 1); ++k) {
      const std::size_t t = column(k);
      S value = values_[k];
      for (std::size_t q = begin(t); q < diagonal(t); ++q) {
        const Off at = place_[column(q)];
        if (at != Off(-1)) value -= values_[static_cast<std::size_t>(at)] * conjugate(values_[q]);
      }
      if (t < i) {
        values_[k] = value / values_[diagonal(t)];
      } else {
        values_[k] = Kokkos::sqrt(lifted(value));
      }
    }
  }

  HostStorage<S, Off> A_;
  bool cholesky_;
  RealOf<S> pivot_floor_ = 0;
  std::vector<Off> row_ptr_, diagonal_, place_;
  std::vector<Index> col_idx_;
  std::vector<S> values_;
};

}  // namespace heddle::bench
