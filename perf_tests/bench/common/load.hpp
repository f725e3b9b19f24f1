// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices on the host: where they come from, and what operations make of them.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/files/read_matrix.hpp"
#include "../../../matrices/reorder.hpp"
#include "../../../matrices/select.hpp"
#include "../../../testing/generate.hpp"
#include "../../../testing/matrices.hpp"
#include "matrix_set.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// Calls use(column, value) for each entry of a row of a matrix on the host.
template <class Matrix, class Use>
void each_entry(const Matrix& A, std::size_t row, const Use& use) {
  for (auto k = A.row_ptr()(row); k < A.row_ptr()(row + 1); ++k) {
    const auto at = static_cast<std::size_t>(k);
    use(static_cast<std::size_t>(A.col_idx()(at)), A.values()(at));
  }
}

template <Scalar S, Offset Off>
struct Loaded {
  HostStorage<S, Off> matrix;
  /// Whether the values are the source's own. Most generated matrices get random values, and so do
  /// files whose values are all 1, such as patterns: with ones many wrong results would go unseen.
  bool own_values = false;
  /// Coordinates of the nodes of a generated elastic body, node by node; else empty.
  std::vector<double> coordinates = {};
  int dimensions = 0;
};

template <Scalar S, Offset Off>
Loaded<S, Off> generate_and_load(const std::string& text, std::uint64_t seed) {
  test::Assembled made = test::generate_system(text, seed);
  if (made.nonzeros() > static_cast<std::int64_t>(std::numeric_limits<Off>::max())) {
    throw Error(text + " has " + std::to_string(made.nonzeros()) + " nonzeros", "use --offset 64");
  }
  const auto storage = test::make_matrix<S, std::int32_t, Off>(made, test::Random(seed + 1));
  for (std::size_t k = 0; k < made.values.size(); ++k) {
    storage.values()(k) = S(static_cast<RealOf<S>>(made.values[k]));
  }
  return {storage, made.own_values(), std::move(made.coordinates), made.dimensions};
}

template <Scalar S, Offset Off>
Loaded<S, Off> load_as_it_is(const Source& source, std::uint64_t seed) {
  if (source.generated) return generate_and_load<S, Off>(source.text, seed);
  const auto storage =
      read_matrix<S, std::int32_t, Off>(source.text, {.duplicates = Duplicates::add});
  const auto values = storage.values();
  const auto count = static_cast<std::size_t>(storage.nonzeros());
  const bool all_one =
      std::all_of(values.data(), values.data() + count, [](const S& v) { return v == S(1); });
  if (all_one) {
    test::Random random(seed + 1);
    for (std::size_t k = 0; k < count; ++k) values(k) = random.scalar<S>();
  }
  return {storage, !all_one, {}, 0};
}

/// The matrix with its rows and columns permuted to the named order, computed on the device.
template <class Storage>
Storage in_order(const Storage& A, const std::string& name, std::uint64_t seed) {
  using Order = Kokkos::View<Index*, Space>;
  const Exec exec;
  const auto there = A.template copy_to<Space>(exec);
  if (there.rows() != there.columns()) {
    throw Error("the matrix to reorder is " + std::to_string(there.rows()) + " x " +
                    std::to_string(there.columns()),
                "leave its order as it is");
  }
  Order order;
  if (name == "rcm") {
    order = reverse_cuthill_mckee(exec, there.matrix());
  } else if (name == "degree") {
    order = order_by_degree(exec, there.matrix());
  } else {
    std::vector<Index> numbers(static_cast<std::size_t>(there.rows()));
    std::iota(numbers.begin(), numbers.end(), 0);
    test::Random random(seed + 2);
    for (std::size_t i = numbers.size(); i > 1; --i) {
      std::swap(numbers[i - 1],
                numbers[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    }
    order = Order("heddle::bench::order", numbers.size());
    Kokkos::deep_copy(order,
                      Kokkos::View<Index*, Kokkos::HostSpace>(numbers.data(), numbers.size()));
  }
  const auto ordered = permute(exec, there.matrix(), order);
  const auto host = ordered.storage().template copy_to<Kokkos::HostSpace>(exec);
  exec.fence("heddle::bench::ordered");
  return host;
}

/// The matrix of a source, on the host, in the order that the source names. Throws Error if it is
/// to be reordered and is not square.
template <Scalar S, Offset Off>
Loaded<S, Off> load(const Source& source, std::uint64_t seed) {
  Loaded<S, Off> loaded = load_as_it_is<S, Off>(source, seed);
  if (source.order.empty()) return loaded;
  // Coordinates would be in the source's own order, so they are dropped.
  return {in_order(loaded.matrix, source.order, seed), loaded.own_values};
}

/// Throws Error if a matrix is not square; `needs`: "sweeps need a".
template <class Matrix>
void require_square(const Matrix& A, const std::string& needs) {
  if (A.rows() == A.columns()) return;
  throw Error(needs + " square matrix, and this one has " + std::to_string(A.rows()) +
                  " rows and " + std::to_string(A.columns()) + " columns",
              "leave it out");
}

/// Column and value of each entry of a row.
template <Scalar S>
using HostRow = std::vector<std::pair<std::int32_t, S>>;

/// Sorts a row by columns, and adds up repeated entries in their order.
template <Scalar S>
void add_up(HostRow<S>& row) {
  std::stable_sort(row.begin(), row.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const auto& entry : row) {
    if (kept > 0 && row[kept - 1].first == entry.first) {
      row[kept - 1].second += entry.second;
    } else {
      row[kept++] = entry;
    }
  }
  row.resize(kept);
}

/// The rows as a CSR matrix.
template <Scalar S, Offset Off>
HostStorage<S, Off> stored(const std::vector<HostRow<S>>& rows, std::int32_t columns) {
  std::size_t count = 0;
  for (const auto& row : rows) count += row.size();
  if (count > static_cast<std::size_t>(std::numeric_limits<Off>::max())) {
    throw Error("the matrix has " + std::to_string(count) + " entries", "use --offset 64");
  }
  const Kokkos::DefaultHostExecutionSpace exec;
  HostStorage<S, Off> to(exec, rows.size(), columns, count);
  exec.fence("heddle::bench::stored");
  std::size_t k = 0;
  to.row_ptr()(0) = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [column, value] : rows[i]) {
      to.col_idx()(k) = column;
      to.values()(k++) = value;
    }
    to.row_ptr()(i + 1) = static_cast<Off>(k);
  }
  return to;
}

/// Position of the entry (row, column) in a matrix with ascending columns; -1 if there is none.
template <Scalar S, Offset Off>
Off find_entry(const HostStorage<S, Off>& A, Index row, Index column) {
  const Index* const begin = A.col_idx().data() + A.row_ptr()(row);
  const Index* const end = A.col_idx().data() + A.row_ptr()(row + 1);
  const Index* const found = std::lower_bound(begin, end, column);
  return found == end || *found != column ? Off(-1) : static_cast<Off>(found - A.col_idx().data());
}

/// Whether each entry has one across the diagonal, and alike(k, across) holds for both.
template <Scalar S, Offset Off, class Alike>
bool mirrored(const HostStorage<S, Off>& A, const Alike& alike) {
  for (Index i = 0; i < A.rows(); ++i) {
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      const Off across = find_entry(A, A.col_idx()(k), i);
      if (across < 0 || !alike(k, across)) return false;
    }
  }
  return true;
}
template <Scalar S, Offset Off>
bool has_symmetric_pattern(const HostStorage<S, Off>& A) {
  return mirrored(A, [](Off, Off) { return true; });
}

/// Whether A is Hermitian. Columns ascend, each once.
template <Scalar S, Offset Off>
bool hermitian(const HostStorage<S, Off>& A) {
  return mirrored(
      A, [&](Off k, Off across) { return A.values()(across) == conjugate(A.values()(k)); });
}

/// Sets each entry below the diagonal to the conjugate of the one across, if there is one.
template <Scalar S, Offset Off>
void mirror_values(HostStorage<S, Off>& A) {
  for (Index i = 0; i < A.rows(); ++i) {
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1) && A.col_idx()(k) < i; ++k) {
      const Off across = find_entry(A, A.col_idx()(k), i);
      if (across >= 0) A.values()(k) = conjugate(A.values()(across));
    }
  }
}

/// The matrix of a source with ascending columns and a whole diagonal. A diagonal entry that is
/// missing or zero, or any if the values are not the source's own, is set to one more than the
/// magnitudes of its row and column; with `keep_zeros` the source's own are zero. `set` counts
/// these. Throws Error if the matrix is not square.
template <Scalar S, Offset Off>
HostStorage<S, Off> with_whole_diagonal(const Loaded<S, Off>& loaded, const std::string& who,
                                        std::int64_t& set, bool keep_zeros = false) {
  require_square(loaded.matrix, who + " need a");
  const auto rows = static_cast<std::size_t>(loaded.matrix.rows());
  std::vector<HostRow<S>> entries(rows);
  std::vector<RealOf<S>> magnitude(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    auto& row = entries[i];
    each_entry(loaded.matrix, i,
               [&](std::size_t j, const S& value) { row.emplace_back(j, value); });
    row.emplace_back(i, S(0));
    add_up(row);
    for (const auto& [column, value] : row) {
      const auto j = static_cast<std::size_t>(column);
      if (j == i) continue;
      magnitude[i] += Kokkos::abs(value);
      magnitude[j] += Kokkos::abs(value);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (auto& [column, value] : entries[i]) {
      if (column != static_cast<Index>(i)) continue;
      if (loaded.own_values && (value != S(0) || keep_zeros)) continue;
      value = S(magnitude[i]);
      ++set;
    }
  }
  return stored<S, Off>(entries, loaded.matrix.columns());
}

}  // namespace heddle::bench
