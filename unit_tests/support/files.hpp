// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

#include "../../core/files/read_matrix.hpp"
#include "error_of.hpp"
#include "temporary.hpp"

/// Common parts of tests of file readers and writers.
namespace files_test {

using heddle::test::error_of;

template <class Storage>
using ScalarOf = typename Storage::Matrix::scalar_type;

/// The dense rows of a matrix; entries that are not stored are zero.
template <class Storage>
std::vector<std::vector<ScalarOf<Storage>>> dense(const Storage& matrix) {
  using S = ScalarOf<Storage>;
  std::vector rows(static_cast<std::size_t>(matrix.rows()),
                   std::vector<S>(static_cast<std::size_t>(matrix.columns()), S(0)));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (auto k = matrix.row_ptr()(row); k < matrix.row_ptr()(row + 1); ++k) {
      rows[row][static_cast<std::size_t>(matrix.col_idx()(k))] += matrix.values()(k);
    }
  }
  return rows;
}

/// Whether both have the same arrays, bit by bit.
template <class Storage>
bool same(const Storage& a, const Storage& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns() || a.nonzeros() != b.nonzeros()) {
    return false;
  }
  auto equal = [](const auto& x, const auto& y) {
    const std::size_t bytes = x.extent(0) * sizeof(*x.data());
    return x.extent(0) == y.extent(0) &&
           (bytes == 0 || std::memcmp(x.data(), y.data(), bytes) == 0);
  };
  return equal(a.row_ptr(), b.row_ptr()) && equal(a.col_idx(), b.col_idx()) &&
         equal(a.values(), b.values());
}

/// `suffix`, and `suffix` with that of each compression that this build has.
inline std::vector<std::string> with_compressions(const std::string& suffix) {
  std::vector<std::string> all{suffix};
  if (HEDDLE_HAVE_ZLIB) all.push_back(suffix + ".gz");
  if (HEDDLE_HAVE_LZMA) all.push_back(suffix + ".xz");
  return all;
}

/// A matrix with rows of many lengths, also empty ones and a long one; columns ascend. Its numbers
/// use all bits of the mantissa and a wide range of exponents.
template <class S = double, class O = int, class Off = int>
heddle::CsrStorage<S, O, Off, Kokkos::HostSpace> random_matrix(O rows, O columns, int mean) {
  using Real = heddle::RealOf<S>;
  std::mt19937_64 random(42);
  std::vector<Off> row_ptr{0};
  std::vector<O> col_idx;
  for (O row = 0; row < rows; ++row) {
    const std::int64_t step = row == rows / 2 ? 2 : 2 * columns / mean + 1;
    if (row % 7 != 3) {
      for (std::int64_t c = static_cast<std::int64_t>(random() % step); c < columns;
           c += 1 + static_cast<std::int64_t>(random() % step)) {
        col_idx.push_back(static_cast<O>(c));
      }
    }
    row_ptr.push_back(static_cast<Off>(col_idx.size()));
  }
  heddle::CsrStorage<S, O, Off, Kokkos::HostSpace> matrix(
      Kokkos::DefaultHostExecutionSpace(), rows, columns, static_cast<Off>(col_idx.size()));
  std::copy(row_ptr.begin(), row_ptr.end(), matrix.row_ptr().data());
  std::copy(col_idx.begin(), col_idx.end(), matrix.col_idx().data());
  auto real = [&] {
    const double mantissa = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    return static_cast<Real>(std::ldexp(mantissa, static_cast<int>(random() % 80) - 40));
  };
  for (std::size_t k = 0; k < col_idx.size(); ++k) {
    if constexpr (heddle::is_complex<S>) {
      const Real re = real(), im = real();
      matrix.values()(k) = S(re, im);
    } else {
      matrix.values()(k) = real();
    }
  }
  return matrix;
}

}  // namespace files_test
