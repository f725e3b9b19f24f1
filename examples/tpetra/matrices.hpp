// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributed matrices for the example: a Poisson problem, and a matrix from a file.
#pragma once

#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <heddle/matrix_market.hpp>
#include <string>
#include <vector>

namespace example {

using Matrix = Tpetra::CrsMatrix<double>;
using Map = Tpetra::Map<>;
using GO = Map::global_ordinal_type;
using LO = Map::local_ordinal_type;
using Teuchos::RCP;
using Teuchos::rcp;

inline void insert(Matrix& A, GO row, const std::vector<GO>& columns,
                   const std::vector<double>& values) {
  const auto n = static_cast<Teuchos::Ordinal>(columns.size());
  A.insertGlobalValues(row, Teuchos::ArrayView<const GO>(columns.data(), n),
                       Teuchos::ArrayView<const double>(values.data(), n));
}

/// The seven-point Laplacian on a cube of `side` points to the side, in contiguous blocks of rows.
inline RCP<const Matrix> poisson(GO side) {
  const auto rows = rcp(new Map(side * side * side, 0, Tpetra::getDefaultComm()));
  const auto A = rcp(new Matrix(rows, 7));
  for (LO r = 0; r < static_cast<LO>(rows->getLocalNumElements()); ++r) {
    const GO i = rows->getGlobalElement(r);
    const GO place[3] = {i % side, i / side % side, i / (side * side)};
    std::vector<GO> columns{i};
    std::vector<double> values{6};
    GO step = 1;
    for (int d = 0; d < 3; ++d, step *= side) {
      if (place[d] > 0) columns.push_back(i - step);
      if (place[d] < side - 1) columns.push_back(i + step);
    }
    values.resize(columns.size(), -1);
    insert(*A, i, columns, values);
  }
  A->fillComplete();
  return A;
}

/// A square matrix from a Matrix Market file, plain, .gz or .xz, in contiguous blocks of rows.
/// Every process reads the file, and keeps its rows.
inline RCP<const Matrix> from_file(const std::string& name) {
  const auto file = heddle::read_matrix_market(name);
  const auto all = file.matrix();
  const auto rows = rcp(new Map(static_cast<GO>(all.rows()), 0, Tpetra::getDefaultComm()));
  std::size_t longest = 1;
  for (LO i = 0; i < static_cast<LO>(all.rows()); ++i) {
    longest = std::max<std::size_t>(longest, all.row_ptr()(i + 1) - all.row_ptr()(i));
  }
  const auto A = rcp(new Matrix(rows, longest));
  for (LO r = 0; r < static_cast<LO>(rows->getLocalNumElements()); ++r) {
    const GO i = rows->getGlobalElement(r);
    const auto begin = all.row_ptr()(i), end = all.row_ptr()(i + 1);
    std::vector<GO> columns;
    std::vector<double> values;
    for (auto k = begin; k < end; ++k) {
      columns.push_back(static_cast<GO>(all.col_idx()(k)));
      values.push_back(all.values()(k));
    }
    insert(*A, i, columns, values);
  }
  A->fillComplete();
  return A;
}

}  // namespace example
