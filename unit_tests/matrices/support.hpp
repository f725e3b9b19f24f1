// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of matrix operations: matrices on the host as lists of entries, and
// references.
#pragma once

#include <doctest/doctest.h>

#include <complex>
#include <heddle/csr.hpp>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "../../testing/backends.hpp"
#include "../../testing/format_suite/check.hpp"
#include "../../testing/matrices.hpp"
#include "../../testing/random.hpp"
#include "../support/error_of.hpp"

namespace heddle::test {

/// Every backend with the usual indices; the default one with all index types.
#ifdef HEDDLE_EMULATED
using MatrixTypes = Every<std::tuple<double>, UsualIndices>;
#else
using MatrixTypes = JoinTuples<
    Every<std::tuple<double>, UsualIndices, AllBackends>,
    Every<std::tuple<Kokkos::complex<float>>,
          std::tuple<Indices<std::int32_t, std::size_t>, Indices<std::int64_t, std::int64_t>>,
          std::tuple<DefaultDevice>>>;
#endif

/// A row: its entries in their order.
template <class S>
using HostRow = std::vector<std::pair<std::int64_t, S>>;

/// A matrix as a list of rows.
template <class S>
struct HostMatrix {
  std::int64_t columns = 0;
  std::vector<HostRow<S>> rows;

  friend bool operator==(const HostMatrix&, const HostMatrix&) = default;
};

template <class Matrix>
auto written_down(const Matrix& A) {
  using S = typename Matrix::scalar_type;
  HostMatrix<S> written{static_cast<std::int64_t>(A.columns()), {}};
  const auto row_ptr = to_host(A.row_ptr());
  const auto col_idx = to_host(A.col_idx());
  const auto values = to_host(A.values());
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows()); ++i) {
    HostRow<S> row;
    for (auto k = static_cast<std::size_t>(row_ptr(i));
         k < static_cast<std::size_t>(row_ptr(i + 1)); ++k) {
      row.emplace_back(static_cast<std::int64_t>(col_idx(k)), values(k));
    }
    written.rows.push_back(std::move(row));
  }
  return written;
}

/// The matrix with ascending columns; entries of one place are summed in their order.
template <class S>
HostMatrix<S> added_up(const HostMatrix<S>& A) {
  HostMatrix<S> sums{A.columns, {}};
  for (const HostRow<S>& row : A.rows) {
    std::map<std::int64_t, S> places;
    for (const auto& [column, value] : row) {
      const auto [place, is_new] = places.try_emplace(column, value);
      if (!is_new) place->second += value;
    }
    sums.rows.emplace_back(places.begin(), places.end());
  }
  return sums;
}

template <class S>
HostMatrix<S> sorted(HostMatrix<S> A) {
  for (HostRow<S>& row : A.rows) {
    std::ranges::stable_sort(row, {}, [](const auto& entry) { return entry.first; });
  }
  return A;
}

template <class S>
HostMatrix<S> transposed(const HostMatrix<S>& A, Op op = Op::transpose) {
  HostMatrix<S> At{static_cast<std::int64_t>(A.rows.size()), {}};
  At.rows.resize(static_cast<std::size_t>(A.columns));
  for (std::size_t i = 0; i < A.rows.size(); ++i) {
    for (const auto& [column, value] : A.rows[i]) {
      At.rows[static_cast<std::size_t>(column)].emplace_back(
          static_cast<std::int64_t>(i), conjugates(op) ? heddle::conjugate(value) : value);
    }
  }
  return At;
}

/// op(A); rows are ascending if op is not Op::none.
template <class S>
HostMatrix<S> with_op(const HostMatrix<S>& A, Op op) {
  if (op == Op::none) return A;
  return transposes(op) ? transposed(A, op) : transposed(transposed(A, op), Op::transpose);
}

/// The submatrix of a list of rows and one of columns, each without repeats, in ascending order.
template <class S, class O>
HostMatrix<S> picked(const HostMatrix<S>& A, const std::vector<O>& rows,
                     const std::vector<O>& columns) {
  std::vector<std::int64_t> to(static_cast<std::size_t>(A.columns), -1);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    to[static_cast<std::size_t>(columns[j])] = static_cast<std::int64_t>(j);
  }
  HostMatrix<S> part{std::ssize(columns), {}};
  for (const O i : rows) {
    HostRow<S> row;
    for (const auto& [j, value] : A.rows[static_cast<std::size_t>(i)]) {
      const std::int64_t at = to[static_cast<std::size_t>(j)];
      if (at >= 0) row.emplace_back(at, value);
    }
    part.rows.push_back(std::move(row));
  }
  return sorted(part);
}

/// The numbers below n in a random order.
template <class O>
std::vector<O> shuffled(std::int64_t n, Random& random) {
  std::vector<O> list(static_cast<std::size_t>(n));
  std::iota(list.begin(), list.end(), O(0));
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1],
              list[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  }
  return list;
}

/// Triplets, in the order in which entries of one place are summed.
template <class S, class O>
struct Triplets {
  std::int64_t number_of_rows = 0, number_of_columns = 0;
  std::vector<O> rows, columns;
  std::vector<S> values;

  HostMatrix<S> assembled() const {
    HostMatrix<S> listed{number_of_columns, {}};
    listed.rows.resize(static_cast<std::size_t>(number_of_rows));
    for (std::size_t k = 0; k < values.size(); ++k) {
      listed.rows[static_cast<std::size_t>(rows[k])].emplace_back(columns[k], values[k]);
    }
    return added_up(listed);
  }
};

/// A matrix whose values are powers of two of very different size.
template <class T>
DeviceMatrix<T> rough(const typename T::Exec& exec, const Pattern& pattern, std::uint64_t seed) {
  using S = typename T::Scalar;
  using Real = RealOf<S>;
  const auto host = to_device<T>(exec, pattern, seed).host;
  Random random(seed);
  const auto real = [&] {
    const std::int64_t exponent = 10 * random.below(sizeof(Real) == 4 ? 3 : 6);
    const auto power = static_cast<Real>(std::int64_t{1} << exponent);
    return random.below(2) ? power : -power;
  };
  for (std::size_t k = 0; k < host.values().extent(0); ++k) {
    if constexpr (is_complex<S>) {
      const Real part = real();
      host.values()(k) = S(part, real());
    } else {
      host.values()(k) = real();
    }
  }
  return to_device<T>(exec, pattern.name, host);
}

/// alpha A + beta B; repeats within each matrix are summed first.
template <class S>
HostMatrix<S> summed(S alpha, const HostMatrix<S>& A, S beta, const HostMatrix<S>& B) {
  const auto times = [](S factor, HostMatrix<S> M) {
    for (HostRow<S>& row : M.rows) {
      for (auto& [j, value] : row) {
        value = factor == S(0) ? S(0) : factor == S(1) ? value : factor * value;
      }
    }
    return added_up(M);
  };
  HostMatrix<S> both = times(alpha, A);
  const HostMatrix<S> other = times(beta, B);
  for (std::size_t i = 0; i < both.rows.size(); ++i) {
    both.rows[i].insert(both.rows[i].end(), other.rows[i].begin(), other.rows[i].end());
  }
  return added_up(both);
}

/// alpha A B + beta D, summed in the documented order.
template <class S>
HostMatrix<S> product(S alpha, const HostMatrix<S>& A, const HostMatrix<S>& B, S beta = S(0),
                      const HostMatrix<S>* D = nullptr) {
  const HostMatrix<S> right = added_up(B);
  HostMatrix<S> C{B.columns, {}};
  for (std::size_t i = 0; i < A.rows.size(); ++i) {
    std::map<std::int64_t, S> sums;
    for (const auto& [k, a] : A.rows[i]) {
      for (const auto& [j, b] : right.rows[static_cast<std::size_t>(k)]) {
        sums.try_emplace(j, S(0)).first->second += a * b;
      }
    }
    if (alpha != S(1)) {
      for (auto& [j, sum] : sums) sum = alpha == S(0) ? S(0) : alpha * sum;
    }
    if (D) {
      for (const auto& [j, d] : D->rows[i]) {
        S& sum = sums.try_emplace(j, S(0)).first->second;
        if (beta != S(0)) sum += beta == S(1) ? d : beta * d;
      }
    }
    C.rows.emplace_back(sums.begin(), sums.end());
  }
  return C;
}

/// P^H A P.
template <class S>
HostMatrix<S> galerkin_product(const HostMatrix<S>& A, const HostMatrix<S>& P) {
  return product(S(1), transposed(P, Op::conjugate_transpose), product(S(1), A, P));
}

/// A list on the device with a stride: a column of a row-major table, whose other columns hold -1.
template <class Space, class V>
auto with_stride(const std::vector<V>& list, std::size_t stride) {
  const Kokkos::View<V**, Kokkos::LayoutRight, Space> table("heddle::test::table", list.size(),
                                                            stride);
  Kokkos::deep_copy(table, V(-1));
  const auto host = copy_to<Kokkos::HostSpace>(table);
  for (std::size_t i = 0; i < list.size(); ++i) host(i, 0) = list[i];
  Kokkos::deep_copy(table, host);
  return Kokkos::subview(table, Kokkos::ALL, 0);
}

/// The error of a matrix that is assembled from triplets, given other values, and assembled
/// again from its own triplets; "" if there is none. All lists have that stride.
template <class T>
std::string wrong_assembly(const typename T::Exec& exec,
                           Triplets<typename T::Scalar, typename T::Ordinal> list,
                           std::size_t stride) {
  const auto there = [&](const auto& of) { return with_stride<typename T::Space>(of, stride); };
  const auto assembled = [&](const auto& rows, const auto& columns, const auto& values) {
    auto A = assemble<typename T::Offset>(exec, list.number_of_rows, list.number_of_columns, rows,
                                          columns, values);
    exec.fence("heddle::test::assembled");
    return A;
  };
  auto A = assembled(there(list.rows), there(list.columns), there(list.values));
  if (written_down(A.matrix()) != list.assembled()) return "not the sums of the triplets";
  std::ranges::reverse(list.values);
  A.update_values(exec, there(list.values));
  exec.fence("heddle::test::updated");
  if (written_down(A.matrix()) != list.assembled()) return "not the sums of the new values";
  const auto row_of =
      there(std::vector<typename T::Ordinal>(static_cast<std::size_t>(A.nonzeros())));
  row_of_entries(exec, A.matrix(), row_of);
  const auto again = assembled(row_of, A.matrix().col_idx(), A.matrix().values());
  return written_down(again.matrix()) == list.assembled() ? "" : "not the matrix of its triplets";
}

}  // namespace heddle::test
