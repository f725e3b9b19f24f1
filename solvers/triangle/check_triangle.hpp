// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include "../../backends/algorithms/csr_view.hpp"
#include "../../backends/algorithms/team_sums.hpp"
#include "../../backends/atomics.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/error.hpp"
#include "../../core/multivector.hpp"
#include "../../formats/inspect/pattern.hpp"
#include "triangle.hpp"

namespace heddle::detail::triangle {

/// Largest number of right-hand sides that a plan keeps memory for.
inline constexpr int most_room = 64;

/// Throws Error unless op(T) x = b makes sense for a square matrix of `rows` rows, which the
/// message calls `matrix`: shapes fit, and x is b or has no entry in common with it.
template <class V>
void check_right_hand_sides(std::int64_t rows, const Multivector<const V>& b,
                            const Multivector<V>& x, const std::string& matrix = "T") {
  const auto demand = [&](const char* vector, std::int64_t is) {
    if (is == rows) return;
    throw Error(std::string(vector) + " has " + std::to_string(is) + " rows, and " + matrix +
                    " has " + std::to_string(rows),
                "give b and x as many rows as " + matrix + " has");
  };
  demand("b", b.rows);
  demand("x", x.rows);
  if (b.count != x.count) {
    throw Error("b holds " + std::to_string(b.count) + " vectors and x " + std::to_string(x.count),
                "give both the same number of vectors");
  }
  const bool in_place = x.data == b.data && (x.rows < 2 || x.row_stride == b.row_stride) &&
                        (x.count < 2 || x.vector_stride == b.vector_stride);
  if (!in_place && overlap(b, x)) {
    throw Error("x overlaps b in part", "let x be b itself, or give it memory of its own");
  }
}

template <Scalar V>
struct ClearVectors {
  Multivector<V> x;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    x(i % x.rows, static_cast<int>(i / x.rows)) = V(0);
  }
};

/// Sets x to 0, whatever it holds.
template <ExecutionSpace Exec, Scalar V>
void clear(const Exec& exec, const Multivector<V>& x) {
  parallel_for(exec, "heddle::triangle::clear_x", x.rows * x.count, ClearVectors<V>{x});
}

/// Longest row, in entries, that a thread reads on a device with lanes; a team reads a longer one.
inline constexpr std::int64_t max_entries_per_thread = 1024;

/// Reads the entries of one row.
template <class Matrix, Scalar D>
struct TriangleRow {
  CsrViewOf<Matrix> A;
  Triangle triangle;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t entries(std::int64_t row) const {
    return static_cast<std::int64_t>(A.row_ptr[row + 1] - A.row_ptr[row]);
  }
  /// Counts every `step`th entry of the row, from number `first` on, in `sums`. Returns the sum of
  /// those on the diagonal.
  KOKKOS_FORCEINLINE_FUNCTION D read(std::int64_t row, int first, int step,
                                     TriangleSums& sums) const {
    const auto i = static_cast<typename Matrix::ordinal_type>(row);
    const auto end = static_cast<std::int64_t>(A.row_ptr[row + 1]);
    D diagonal(0);
    for (auto k = static_cast<std::int64_t>(A.row_ptr[row]) + first; k < end; k += step) {
      if (A.col_idx[k] == i) {
        diagonal += D(A.values[k]);
      } else if (in_triangle(triangle, i, A.col_idx[k])) {
        ++sums.entries;
      } else {
        sums.outside = Kokkos::min(sums.outside, row);
      }
    }
    return diagonal;
  }
};

template <class Matrix, Scalar D, bool LongRowsByTeams>
struct TriangleKernel {
  using value_type = TriangleSums;

  TriangleRow<Matrix, D> rows;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const { sums.add(other); }
  KOKKOS_FUNCTION void operator()(std::int64_t row, value_type& sums) const {
    if (LongRowsByTeams && rows.entries(row) > max_entries_per_thread) {
      ++sums.long_rows;
    } else if (is_bad_diagonal(rows.read(row, 0, 1, sums))) {
      sums.bad_diagonal = Kokkos::min(sums.bad_diagonal, row);
    }
  }
};

/// Compaction: lists the long rows.
template <class Matrix, Scalar D>
struct ListLongRows {
  TriangleRow<Matrix, D> rows;
  std::int64_t* list;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& count, bool last) const {
    if (rows.entries(row) <= max_entries_per_thread) return;
    if (last) list[count] = row;
    ++count;
  }
};

/// Checks the listed rows, one team for each row.
template <class Matrix, Scalar D>
struct LongTriangleRows {
  using Shape = backends::Shape<32, 256>;
  using Scratch = team_sums::Scratch<D, 1, 8>;

  TriangleRow<Matrix, D> rows;
  const std::int64_t* list;
  TriangleSums* all;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const std::int64_t row = list[team.index()];
    TriangleSums sums;
    D diagonal[1] = {rows.read(row, team.thread(), Team::threads, sums)};
    const auto subwarp = team.subwarp();
    const std::int64_t entries = subwarp.sum(sums.entries);
    const bool outside = subwarp.any(sums.outside != TriangleSums::nowhere);
    if (subwarp.lane() == 0) {
      backends::atomic_add(&all->entries, entries);
      if (outside) backends::atomic_min(&all->outside, row);
    }
    team_sums::add_over_team(team, scratch, diagonal, 1);
    if (team.thread() == 0 && is_bad_diagonal(diagonal[0])) {
      backends::atomic_min(&all->bad_diagonal, row);
    }
  }
};

/// Checks the long rows, `long_rows` of `count`: three launches and a readback, which waits for
/// `exec`. Workspace: a number of 64 bits for each long row.
template <ExecutionSpace Exec, class Matrix, Scalar D>
TriangleSums sums_of_long_rows(const Exec& exec, const TriangleRow<Matrix, D>& rows,
                               std::int64_t count, std::int64_t long_rows) {
  using Space = typename Exec::memory_space;
  using Kernel = LongTriangleRows<Matrix, D>;
  std::int64_t* list = nullptr;
  TriangleSums* all = nullptr;
  const Arena<Space> work(exec, "heddle::triangle::long_rows", arena_array(list, long_rows),
                          arena_array(all, 1));
  Kokkos::parallel_scan("heddle::triangle::list_long_rows", scan_policy(exec, count),
                        ListLongRows<Matrix, D>{rows, list});
  fill(exec, "heddle::triangle::no_sums", all, 1, {});
  backends::launch<typename Kernel::Shape>(exec, "heddle::triangle::check_long_rows", long_rows,
                                           Kernel{rows, list, all});
  TriangleSums sums;
  Kokkos::deep_copy(kokkos_space(exec), sums,
                    Kokkos::View<const TriangleSums, Space, Kokkos::MemoryUnmanaged>(all));
  exec.fence("heddle::triangle::check_long_rows");
  return sums;
}

/// The words of an Error for a bad diagonal.
struct DiagonalWords {
  const char* wrong = "the diagonal is missing, zero or not finite";
  const char* advice = "store one, shift it, or use Diagonal::unit";
};

/// Checks a triangle of T, whose row pointer and columns have been checked. Throws Error, naming
/// the row, for entries outside of the triangle unless these are ignored, and for a stored diagonal
/// that is missing, or zero or not finite after repeated entries are added. D is the type in which
/// the diagonal is added up: DiagonalOf. One launch and one readback, which waits for `exec`; if
/// rows are long, three more launches, one more readback, and a workspace.
template <Scalar D, ExecutionSpace Exec, class Matrix>
TriangleSums check_triangle(const Exec& exec, const Matrix& T, Triangle triangle, Diagonal diagonal,
                            bool ignore_outside, const DiagonalWords& words = {}) {
  TriangleSums sums;
  if (T.rows() == 0) return sums;
  const TriangleRow<Matrix, D> rows{csr_view(T), triangle};
  Kokkos::parallel_reduce("heddle::triangle::check", range_policy(exec, T.rows()),
                          TriangleKernel<Matrix, D, backends::has_lanes<Exec>>{rows}, sums);
  if constexpr (backends::has_lanes<Exec>) {
    if (sums.long_rows > 0) sums.add(sums_of_long_rows(exec, rows, T.rows(), sums.long_rows));
  }
  if (sums.outside != TriangleSums::nowhere && !ignore_outside) {
    const bool lower = triangle == Triangle::lower;
    throw Error(std::string("an entry is ") + (lower ? "above" : "below") + " the diagonal",
                Where{.row = sums.outside}, "give a triangle, or set options.ignore_outside");
  }
  if (diagonal == Diagonal::stored && sums.bad_diagonal != TriangleSums::nowhere) {
    throw Error(words.wrong, Where{.row = sums.bad_diagonal}, words.advice);
  }
  return sums;
}

/// Throws Error, naming the row, if *bad is not 0: it is one more than the lowest row with a bad
/// diagonal. Waits for `exec`, by a fence of this label.
template <ExecutionSpace Exec, class Word>
void check_bad_diagonal(const Exec& exec, const char* label, const Word& bad,
                        const DiagonalWords& words = {}) {
  std::int64_t on_host = 0;
  Kokkos::deep_copy(kokkos_space(exec), on_host, bad);
  exec.fence(label);
  if (on_host) throw Error(words.wrong, Where{.row = on_host - 1}, words.advice);
}

}  // namespace heddle::detail::triangle
