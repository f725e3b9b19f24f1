// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators for tests of solvers: a user's classes, and matrices with known properties.
#pragma once

#include <heddle/matrix.hpp>

#include "../../backends/loops.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/random.hpp"
#include "copy_in.hpp"
#include "entries.hpp"

namespace heddle::test {

/// A CSR matrix on the device that owns its arrays, with a plain product, serial within a row: an
/// operator as users write them.
template <ExecutionSpace Exec, Scalar S>
struct PlainOperator {
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, int, int, Space>;
  std::int64_t n = 0;
  Kokkos::View<int*, Space> row_ptr, col_idx;
  Kokkos::View<S*, Space> values;
  int applies = 0;

  std::int64_t rows() const { return n; }
  std::int64_t columns() const { return n; }
  Matrix matrix() const {
    return Matrix(static_cast<int>(n), static_cast<int>(n), row_ptr, col_idx, values);
  }

  struct Row {
    const int* row_ptr;
    const int* col_idx;
    const S* values;
    const S* x;
    S* y;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const {
      S sum(0);
      for (int e = row_ptr[i]; e < row_ptr[i + 1]; ++e) sum += values[e] * x[col_idx[e]];
      y[i] = sum;
    }
  };
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    static_assert(X::rank() == 1);
    ++applies;
    Kokkos::parallel_for("heddle::test::product", range_policy(exec, n),
                         Row{row_ptr.data(), col_idx.data(), values.data(), x.data(), y.data()});
  }
};

/// A square matrix from rows on the host.
template <ExecutionSpace Exec, Scalar S>
PlainOperator<Exec, S> plain_operator(const std::vector<int>& row_ptr,
                                      const std::vector<int>& col_idx,
                                      const std::vector<S>& values) {
  using Space = typename Exec::memory_space;
  PlainOperator<Exec, S> a;
  a.n = std::ssize(row_ptr) - 1;
  a.row_ptr = copy_in<Space>(row_ptr);
  a.col_idx = copy_in<Space>(col_idx);
  a.values = copy_in<Space>(values);
  return a;
}

/// factor A, with values of its own.
template <ExecutionSpace Exec, Scalar S>
PlainOperator<Exec, S> times(RealOf<S> factor, const PlainOperator<Exec, S>& a) {
  std::vector<S> values = copy_out(a.values);
  for (S& value : values) value *= factor;
  return {a.n, a.row_ptr, a.col_idx, copy_in<typename Exec::memory_space>(values)};
}

/// The square matrix of entry(i, j) for the columns j that columns(i, add) adds to row i, in turn.
template <ExecutionSpace Exec, Scalar S, class Columns, class Entry>
PlainOperator<Exec, S> operator_where(int n, const Columns& columns, const Entry& entry) {
  std::vector<int> row_ptr(1), col_idx;
  std::vector<S> values;
  for (int i = 0; i < n; ++i) {
    columns(i, [&](int j) {
      col_idx.push_back(j);
      const auto value = entry(i, j);
      if constexpr (std::is_arithmetic_v<decltype(entry(i, j))>) {
        values.push_back(S(static_cast<RealOf<S>>(value)));
      } else {
        values.push_back(value);
      }
    });
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

/// A node and its neighbours on a grid, ascending: the seven-point stencil, five-point with one
/// layer.
struct Star {
  int width, height, depth = 1;

  int nodes() const { return width * height * depth; }
  template <class Visit>
  void operator()(int i, const Visit& visit) const {
    const int layer = width * height, z = i / layer, y = i / width % height, x = i % width;
    if (z > 0) visit(i - layer);
    if (y > 0) visit(i - width);
    if (x > 0) visit(i - 1);
    visit(i);
    if (x + 1 < width) visit(i + 1);
    if (y + 1 < height) visit(i + width);
    if (z + 1 < depth) visit(i + layer);
  }
};

/// The matrix of entry(i, j) on the stencil of a grid.
template <ExecutionSpace Exec, Scalar S, class Entry>
PlainOperator<Exec, S> star_operator(int width, int height, int depth, const Entry& entry) {
  const Star star{width, height, depth};
  return operator_where<Exec, S>(star.nodes(), star, entry);
}
template <ExecutionSpace Exec, Scalar S, class Entry>
PlainOperator<Exec, S> grid_operator(int side, const Entry& entry) {
  return star_operator<Exec, S>(side, side, 1, entry);
}

/// The Laplacian of a grid; Hermitian with complex entries. Its diagonal varies by `contrast`, so
/// that Jacobi is useful.
template <ExecutionSpace Exec, Scalar S>
PlainOperator<Exec, S> laplacian(int side, double contrast = 1) {
  using Real = RealOf<S>;
  return grid_operator<Exec, S>(side, [=](int i, int j) {
    const auto weight = [&](int k) { return k % 3 == 0 ? Real(std::sqrt(contrast)) : Real(1); };
    const Real scale = weight(i) * weight(j);
    if (i == j) return S(Real(4.01) * scale);
    if constexpr (is_complex<S>) {
      return i < j ? S(Real(-0.6), Real(0.8)) * scale : S(Real(-0.6), Real(-0.8)) * scale;
    } else {
      return S(-scale);
    }
  });
}

/// A flow across a grid: far from symmetric.
template <class E, class S>
PlainOperator<E, S> flow(int of_side, double speed = 0.7) {
  using Real = RealOf<S>;
  return grid_operator<E, S>(of_side, [=](int i, int j) {
    if (i == j) return S(Real(4.2 + i % 3));
    const Real off = static_cast<Real>(j > i ? -1 + speed : -1 - speed);
    if constexpr (is_complex<S>) {
      return S(off, Real(0.3));
    } else {
      return S(off);
    }
  });
}

/// Fluxes through the faces of a line, and the pressures of its cells, whose diagonal is zero.
template <class Exec>
PlainOperator<Exec, double> saddle_point(int cells, double conducts) {
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values;
  const auto add = [&](int column, double value) {
    col_idx.push_back(column);
    values.push_back(value);
  };
  for (int face = 0; face <= cells; ++face) {
    add(face, face % 2 ? 1 / conducts : 1.0);
    if (face > 0) add(cells + face, -1);
    if (face < cells) add(cells + face + 1, 1);
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  for (int cell = 0; cell < cells; ++cell) {
    add(cell, 1);
    add(cell + 1, -1);
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

}  // namespace heddle::test
