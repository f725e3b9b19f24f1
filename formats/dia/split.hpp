// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <string>

#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../common/refusal.hpp"
#include "../common/rest/storage.hpp"
#include "split_kernels.hpp"

namespace heddle::detail::dia {

/// Entries of a row in the rest, from their counts.
template <Offset Off>
struct RestCounts {
  const Off* counts;
  KOKKOS_FORCEINLINE_FUNCTION Off operator()(std::int64_t row) const { return counts[row]; }
};

/// Where the entries of the rest come from, listed.
template <Ordinal O, Offset Off>
struct Listed {
  const Off* list;
  KOKKOS_FORCEINLINE_FUNCTION Off operator()(Off k, O) const { return list[k]; }
};

/// Splits a matrix: the diagonals that are full enough to be stored whole, and the rest. Workspace
/// of the inspector: 8 bytes for each of the rows + columns - 1 diagonals, and an offset a row
/// where there is a rest.
template <ExecutionSpace Exec, class Matrix>
class Split {
 public:
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  /// A diagonal is full if at least `percent` percent of all rows have an entry on it. Reads the
  /// columns once, or twice where there is a rest; waits for `exec` at one readback, or two.
  Split(const Exec& exec, const Matrix& A, int fill)
      : runs_{A.row_ptr().data(), A.col_idx().data(), A.rows(),
              static_cast<std::int64_t>(A.nonzeros()), backends::runs_on_host<Exec> ? 512 : 8} {
    if (runs_.nonzeros == 0) return;
    count_diagonals(exec, std::int64_t{A.columns()}, fill);
    if (sums_.diagonals > std::numeric_limits<int>::max()) {
      throw Refusal("dia: " + std::to_string(sums_.diagonals) + " diagonals are too many",
                    "take csr, which holds any matrix");
    }
    rest_.entries = runs_.nonzeros - sums_.entries;
    if (rest_.entries > 0) count_rest(exec);
  }

  int diagonals() const { return static_cast<int>(sums_.diagonals); }
  const rest::Size& rest() const { return rest_; }
  /// Of each row.
  RestCounts<Off> rest_counts() const { return {rest_counts_}; }

  /// The offsets of the full diagonals, ascending. One launch, no wait.
  void write_offsets(const Exec& exec, O* offsets) const {
    Kokkos::parallel_scan("heddle::spmv::dia_offsets", range_policy(exec, all_),
                          ListOffsets<O>{full_, runs_.rows, offsets});
  }

  /// The entries of the rest, in the order of the matrix. One launch, no wait.
  void write_list(const Exec& exec, Off* list) const {
    Kokkos::parallel_scan("heddle::spmv::dia_list", range_policy(exec, items()),
                          ListRest<O, Off>{runs_, full_, list});
  }

  void count_diagonals(const Exec& exec, std::int64_t columns, int fill) {
    all_ = runs_.rows + columns - 1;
    const auto all = static_cast<std::size_t>(all_);
    diagonal_work_ =
        Arena<Space>(exec, "heddle::inspect::diagonal_counts", arena_bytes<std::int64_t>(all));
    std::int64_t* const counts = diagonal_work_.template take<std::int64_t>(all).data();
    detail::fill(exec, "heddle::spmv::dia_clear", counts, all_, 0);
    Kokkos::parallel_for("heddle::spmv::dia_count", range_policy(exec, items()),
                         CountDiagonals<O, Off>{runs_, counts});
    full_ = {counts, runs_.rows, fill};
    Kokkos::parallel_reduce("heddle::spmv::dia_full", range_policy(exec, all_),
                            SumFullDiagonals{full_}, sums_);
  }

  void count_rest(const Exec& exec) {
    const auto rows = static_cast<std::size_t>(runs_.rows);
    row_work_ = Arena<Space>(exec, "heddle::inspect::rest_counts", arena_bytes<Off>(rows));
    Off* const counts = row_work_.template take<Off>(rows).data();
    rest_counts_ = counts;
    detail::fill(exec, "heddle::spmv::dia_clear", counts, runs_.rows, 0);
    Kokkos::parallel_for("heddle::spmv::dia_count_rest", range_policy(exec, items()),
                         CountRest<O, Off>{runs_, full_, counts});
    Kokkos::parallel_reduce("heddle::spmv::dia_long_rows", range_policy(exec, runs_.rows),
                            CountRowsWithRest<Off>{counts}, rest_.long_rows);
  }

 private:
  std::int64_t items() const { return ceil_div(runs_.nonzeros, runs_.run); }

  EntryRuns<O, Off> runs_;
  std::int64_t all_ = 0;
  FullDiagonals full_{};
  SumFullDiagonals::Sums sums_;
  detail::rest::Size rest_;
  const Off* rest_counts_ = nullptr;
  Arena<Space> diagonal_work_;
  Arena<Space> row_work_;
};

}  // namespace heddle::detail::dia
