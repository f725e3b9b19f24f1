// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of operations on matrices share: matrices on the host as lists of entries, and what
// they are held against.
#pragma once

#include <doctest/doctest.h>

#include <complex>
#include <heddle/csr.hpp>
#include <map>
#include <string>
#include <vector>

#include "../../../testing/backends.hpp"
#include "../../../testing/format_suite/check.hpp"
#include "../../../testing/matrices.hpp"
#include "../../../testing/random.hpp"

namespace heddle::test {

/// Every backend, and on the usual one every kind of index.
#ifdef HEDDLE_EMULATED
using MatrixTypes = Every<std::tuple<double>, UsualIndices>;
#else
using MatrixTypes = JoinTuples<
    Every<std::tuple<double>, UsualIndices, AllBackends>,
    Every<std::tuple<Kokkos::complex<float>>,
          std::tuple<Indices<std::int32_t, std::size_t>, Indices<std::int64_t, std::int64_t>>,
          std::tuple<DefaultDevice>>>;
#endif

/// A row, its entries in their order.
template <class S>
using HostRow = std::vector<std::pair<std::int64_t, S>>;

/// A matrix as anybody would write it down.
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

/// The same with ascending columns, entries of one place added up in their order.
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

/// What an error says; empty if there is none.
template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline bool says(const std::string& error, const std::string& words) {
  return error.find(words) != std::string::npos;
}

}  // namespace heddle::test
