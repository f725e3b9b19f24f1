// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/ilu/options.hpp"
#include "../common/load.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

/// What is timed: new factors, an apply of them, or conjugate gradients with them.
enum class Timed { factor, apply, solve };

/// Something that makes incomplete factors of one matrix, or applies them.
template <Scalar S>
class IluContestant : public SetUp {
 public:
  /// What is timed.
  virtual void run(const Exec& exec) = 0;
  /// The largest error of what run() left over its bound, at most 1 where it is right; nothing
  /// where it does not claim to be exact. Waits.
  virtual std::optional<double> error_over_bound(const Exec& exec) = 0;
};

/// One matrix on the device, with vectors for an apply; what every contestant is given.
template <Scalar S, Offset Off>
struct IluProblem : ColumnVectors<S> {
  using Contestant = IluContestant<S>;

  /// Columns ascend, each once, and the diagonal is whole. Of Cholesky factors the lower triangle
  /// is meant.
  CsrMatrix<S, Index, Off, Space> A;
  HostStorage<S, Off> host;
  IluOptions options;
  bool cholesky = false;
  bool solves = false;
  Kokkos::View<S*, Space> b, x;
  test::HostColumns<S> host_b;

  template <class Use>
  auto with_vectors(const Use& use) const {
    return this->with_columns(b, x, use);
  }
};

/// A source with ascending columns and a whole diagonal, which is one more than the magnitudes of
/// row and column where it is missing or zero; and everywhere where the values are not the
/// source's own. `set` counts those rows.
template <Scalar S, Offset Off>
HostStorage<S, Off> factorable(const Loaded<S, Off>& loaded, std::int64_t& set) {
  const auto& from = loaded.matrix;
  if (from.rows() != from.columns()) {
    throw Error("incomplete factors need a square matrix, and this one has " +
                    std::to_string(from.rows()) + " rows and " + std::to_string(from.columns()) +
                    " columns",
                "leave it out");
  }
  const auto rows = static_cast<std::size_t>(from.rows());
  std::vector<std::vector<std::pair<Index, S>>> entries(rows);
  std::vector<RealOf<S>> magnitude(rows, 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    auto& row = entries[i];
    const auto diagonal = static_cast<Index>(i);
    for (Off k = from.row_ptr()(i); k < from.row_ptr()(i + 1); ++k) {
      row.emplace_back(from.col_idx()(static_cast<std::size_t>(k)),
                       from.values()(static_cast<std::size_t>(k)));
    }
    row.emplace_back(diagonal, S(0));
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t last = 0;
    for (std::size_t k = 1; k < row.size(); ++k) {
      if (row[k].first == row[last].first) {
        row[last].second += row[k].second;
      } else {
        row[++last] = row[k];
      }
    }
    row.resize(last + 1);
    count += row.size();
    for (const auto& [column, value] : row) {
      if (column == diagonal) continue;
      magnitude[i] += Kokkos::abs(value);
      magnitude[static_cast<std::size_t>(column)] += Kokkos::abs(value);
    }
  }
  const Kokkos::DefaultHostExecutionSpace exec;
  HostStorage<S, Off> to(exec, from.rows(), from.rows(), static_cast<Off>(count));
  exec.fence("heddle::bench::factorable");
  std::size_t k = 0;
  to.row_ptr()(0) = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (auto [column, value] : entries[i]) {
      if (column == static_cast<Index>(i) && (value == S(0) || !loaded.own_values)) {
        value = S(magnitude[i]);
        ++set;
      }
      to.col_idx()(k) = column;
      to.values()(k++) = value;
    }
    to.row_ptr()(i + 1) = static_cast<Off>(k);
  }
  return to;
}

}  // namespace heddle::bench
