// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributed matrices and vectors for the tests, the same on any number of processes.
#pragma once

#include <doctest/doctest.h>

#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace heddle::test {

using Map = Tpetra::Map<>;
using GO = Map::global_ordinal_type;
using LO = Map::local_ordinal_type;
using Matrix = Tpetra::CrsMatrix<double>;
using Vectors = Tpetra::MultiVector<double>;
using Teuchos::RCP;
using Teuchos::rcp;

/// A random number that depends on its arguments, and not on the process.
inline std::uint64_t draw(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
  std::uint64_t bits = a * 0x9e3779b97f4a7c15 + b * 0xbf58476d1ce4e5b9 + c * 0x94d049bb133111eb;
  for (int round = 0; round < 3; ++round) bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
  return bits ^ (bits >> 32);
}
inline double draw_value(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
  return static_cast<double>(draw(a, b, c) >> 11) * 0x1p-52 - 1;  // in [-1, 1)
}

/// n elements on the processes: in runs, round robin, in runs but backwards, on the last process
/// alone, in runs with one element of the next process too, or each on all processes.
enum class Layout { runs, cards, backwards, last, overlapping, replicated };

inline RCP<const Map> make_map(Layout layout, GO n) {
  const auto comm = Tpetra::getDefaultComm();
  if (layout == Layout::replicated) return Tpetra::createLocalMap<LO, GO>(n, comm);
  const GO size = comm->getSize(), rank = comm->getRank();
  const GO first = rank * n / size, end = (rank + 1) * n / size;
  std::vector<GO> mine;
  for (GO i = 0; i < n; ++i) {
    const bool in_run = i >= first && i < end;
    const bool chosen = layout == Layout::cards  ? i % size == rank
                        : layout == Layout::last ? rank == size - 1
                                                 : in_run;
    if (chosen || (layout == Layout::overlapping && i == end)) mine.push_back(i);
  }
  if (layout == Layout::backwards) std::reverse(mine.begin(), mine.end());
  return rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                     Teuchos::ArrayView<const GO>(mine.data(), mine.size()), 0, comm));
}

/// Columns of row i: none to a dozen, in some rows forty.
inline std::vector<GO> columns_of_row(GO i, GO columns) {
  std::vector<GO> row;
  const auto length = draw(i, 1) % 7 == 0 ? 40 : draw(i, 2) % 13;
  for (std::uint64_t k = 0; k < length; ++k) {
    const bool near = draw(i, 3, k) % 3 > 0;
    const GO j = near ? i + static_cast<GO>(draw(i, 4, k) % 9) - 4
                      : static_cast<GO>(draw(i, 5, k) % static_cast<std::uint64_t>(columns));
    row.push_back(std::clamp<GO>(j, 0, columns - 1));
  }
  std::sort(row.begin(), row.end());
  row.erase(std::unique(row.begin(), row.end()), row.end());
  return row;
}

/// Calls entries(i, add) for each row of this process; it gives the row its entries by
/// add(j, value), new values of them if `refill`.
template <class Entries>
void set_entries(Matrix& A, bool refill, const Entries& entries) {
  const auto rows = A.getRowMap();
  for (LO r = 0; r < static_cast<LO>(rows->getLocalNumElements()); ++r) {
    const GO i = rows->getGlobalElement(r);
    entries(i, [&](GO j, double value) {
      if (refill) {
        A.replaceGlobalValues(i, Teuchos::tuple(j), Teuchos::tuple(value));
      } else {
        A.insertGlobalValues(i, Teuchos::tuple(j), Teuchos::tuple(value));
      }
    });
  }
}

inline void fill(Matrix& A, GO columns, std::uint64_t seed, bool refill) {
  set_entries(A, refill, [=](GO i, const auto& add) {
    for (const GO j : columns_of_row(i, columns)) add(j, draw_value(seed, i, j));
  });
}

/// A matrix of rows x columns, with the maps of its rows, of x and of y.
inline RCP<Matrix> make_matrix(GO rows, GO columns, Layout row, Layout domain, Layout range) {
  const auto A = rcp(new Matrix(make_map(row, rows), 41));
  fill(*A, columns, 1, false);
  // Maps are compared by content; the row map as range map saves an export.
  A->fillComplete(make_map(domain, columns), row == range ? A->getRowMap() : make_map(range, rows));
  return A;
}

inline RCP<Vectors> make_vectors(const RCP<const Map>& map, std::size_t count, std::uint64_t seed) {
  const auto x = rcp(new Vectors(map, count));
  const auto host = x->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    for (std::size_t v = 0; v < count; ++v) {
      host(i, v) = draw_value(seed, map->getGlobalElement(static_cast<LO>(i)), v);
    }
  }
  return x;
}

/// The largest difference between entries on this process; NaN if either has one.
inline double difference(const Vectors& a, const Vectors& b) {
  Vectors copy(a, Teuchos::Copy), other(b, Teuchos::Copy);
  const auto x = copy.getLocalViewHost(Tpetra::Access::ReadOnly);
  const auto y = other.getLocalViewHost(Tpetra::Access::ReadOnly);
  double worst = 0;
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    for (std::size_t v = 0; v < x.extent(1); ++v) {
      const double d = std::abs(x(i, v) - y(i, v));
      if (!(d <= worst)) worst = d;
      if (std::isnan(worst)) return worst;
    }
  }
  return worst;
}

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Checks that applies of two operators agree up to `rounding`: every mode, one vector and several,
/// alpha and beta, and that neither reads entries that it may not read.
inline void compare_applies(const Tpetra::Operator<double>& theirs,
                            const Tpetra::Operator<double>& mine, double rounding) {
  using Teuchos::CONJ_TRANS, Teuchos::NO_TRANS, Teuchos::TRANS;
  for (const Teuchos::ETransp mode : {NO_TRANS, TRANS, CONJ_TRANS}) {
    for (const std::size_t count : {1, 3}) {
      for (const auto [alpha, beta] :
           {std::pair(1.0, 0.0), std::pair(-1.5, 0.5), std::pair(2.0, 1.0), std::pair(0.0, 0.0),
            std::pair(0.0, -2.0)}) {
        CAPTURE(static_cast<int>(mode));
        CAPTURE(count);
        CAPTURE(alpha);
        CAPTURE(beta);
        const auto from = mode == NO_TRANS ? theirs.getDomainMap() : theirs.getRangeMap();
        const auto to = mode == NO_TRANS ? theirs.getRangeMap() : theirs.getDomainMap();
        const auto x = make_vectors(from, count, 5);
        const auto expected = make_vectors(to, count, 6);
        const auto y = make_vectors(to, count, 6);
        if (beta == 0) y->putScalar(nan);  // may not be read
        theirs.apply(*x, *expected, mode, alpha, beta);
        mine.apply(*x, *y, mode, alpha, beta);
        CHECK(difference(*expected, *y) <= rounding);
      }
    }
  }
}

}  // namespace heddle::test
