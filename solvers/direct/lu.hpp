// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "../../backends/algorithms/bad_row.hpp"
#include "../../backends/cooperative.hpp"
#include "../../backends/launch.hpp"
#include "core.hpp"

/// Kernels of a blocked LU factorization with row pivots, and of its solves. Each is written for
/// all teams of a launch, and runs with one team where that is enough, or where a device cannot
/// make teams wait for each other. The results do not depend on the number of teams.
namespace heddle::detail::direct {

/// Columns of the widest panel.
inline constexpr int most_panel = 16;
/// Rows and columns of the part that a team updates at once.
inline constexpr int tile = 32;

/// Magnitude by which pivots are compared: of a complex number |re| + |im|, as LAPACK does.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION double magnitude(const S& value) {
  if constexpr (is_complex<S>) {
    return Kokkos::abs(static_cast<double>(value.real())) +
           Kokkos::abs(static_cast<double>(value.imag()));
  } else {
    return Kokkos::abs(static_cast<double>(value));
  }
}

/// A power of two, so that products with it round nothing: times it a size is 1 to 2, or up to 4
/// near the end of the range. It is normal for zero and infinities too.
KOKKOS_FORCEINLINE_FUNCTION double unit_of(double size) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000u;
  constexpr double least = Kokkos::Experimental::norm_min_v<double>;  // a reference fails in nvcc
  const double at_least = Kokkos::max(size, least);
  const auto power = Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(at_least) & exponent);
  return 1 / Kokkos::min(power, 0x1p1022);
}

/// Calls body(begin, end) for parts of items first, ..., stop - 1: one item for each thread of a
/// device with lanes, and consecutive items for each thread of a CPU.
template <class All, class Body>
KOKKOS_FORCEINLINE_FUNCTION void share(const All& all, std::int64_t first, std::int64_t stop,
                                       const Body& body) {
  using Team = typename All::team_type;
  const std::int64_t me = all.team().index(), teams = all.teams();
  if constexpr (Team::threads == 1) {
    const std::int64_t items = Kokkos::max(stop - first, std::int64_t{0});
    body(first + items * me / teams, first + items * (me + 1) / teams);
  } else {
    for (std::int64_t i = first + me * Team::threads + all.team().thread(); i < stop;
         i += teams * Team::threads) {
      body(i, i + 1);
    }
  }
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void exchange(T& a, T& b) {
  const T kept = a;
  a = b;
  b = kept;
}

/// The scratch of Factorize: parts of L and U for the update of a tile, and each subwarp's pivot.
template <Scalar S>
struct PanelScratch {
  alignas(16) unsigned char lower[sizeof(S) * tile * most_panel];
  alignas(16) unsigned char upper[sizeof(S) * tile * most_panel];
  double size[8];
  std::int64_t row[8];

  KOKKOS_FORCEINLINE_FUNCTION S* L() { return reinterpret_cast<S*>(lower); }
  KOKKOS_FORCEINLINE_FUNCTION S* U() { return reinterpret_cast<S*>(upper); }
};

/// A becomes its factors. A pivot is the largest entry of its column in the units of the rows; the
/// lowest row of equal ones.
template <Scalar S>
struct Factorize {
  using Scratch = PanelScratch<S>;
  using Shape = backends::Shape<32, 256>;

  Factors<S> f;
  double* row_unit;           ///< exchanged with the rows
  const double* column_size;  ///< largest magnitude of each column
  std::int64_t* source;       ///< of a dense matrix: exchanged with the rows
  const std::int64_t* order;  ///< null: columns have their numbers in A
  std::int64_t* bad;

  template <class All>
  KOKKOS_FUNCTION void operator()(const All& all, Scratch& scratch) const {
    for (std::int64_t first = 0; first < f.rows; first += f.panel) {
      const int width = f.width(first);
      const std::int64_t next = first + width;
      const std::int64_t row_stop = Kokkos::min(f.rows, next + f.below);
      const std::int64_t column_stop = Kokkos::min(f.rows, next + f.above);
      if (all.team().index() == 0) factor_panel(all.team(), scratch, first, width, row_stop);
      all.barrier();
      share(all, next, column_stop, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t j = begin; j < end; ++j) finish_column(first, width, j);
      });
      if (f.dense) {
        share(all, 0, first, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t j = begin; j < end; ++j) exchange_rows(first, 0, width, j);
        });
      }
      all.barrier();
      update_tiles(all, scratch, first, width, row_stop, column_stop);
      all.barrier();
    }
  }

 private:
  struct Pivot {
    double size;
    std::int64_t row;
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t find_pivot(const Team& team, Scratch& scratch,
                                                      std::int64_t j, std::int64_t stop) const {
    constexpr double least = Kokkos::Experimental::norm_min_v<double>;
    const double unit = unit_of(column_size[j]);
    Pivot own{-1, f.rows};
    for (std::int64_t i = j + team.thread(); i < stop; i += Team::threads) {
      const double entry = magnitude(f(i, j));
      // In this order the first product overflows or underflows only if both of them do.
      const double size = entry >= 1 ? entry * row_unit[i] * unit : entry * unit * row_unit[i];
      // Only zero counts as zero. NaN, which is reported elsewhere, does too.
      const double counts = entry > 0 ? Kokkos::max(size, least) : 0;
      if (counts > own.size) own = {counts, i};
    }
    const auto subwarp = team.subwarp();
    const double largest = subwarp.max(own.size);
    const std::int64_t row =
        f.rows - subwarp.max(own.size == largest ? f.rows - own.row : std::int64_t{0});
    if (subwarp.lane() == 0) {
      scratch.size[team.subwarp_index()] = largest;
      scratch.row[team.subwarp_index()] = row;
    }
    team.barrier();
    Pivot found{scratch.size[0], scratch.row[0]};
    for (int s = 1; s < Team::subwarps; ++s) {
      const Pivot other{scratch.size[s], scratch.row[s]};
      const bool before = other.size == found.size && other.row < found.row;
      if (other.size > found.size || before) found = other;
    }
    return found.row;
  }

  /// Factors columns first, ..., first + width - 1 down to row stop - 1: one team.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void factor_panel(const Team& team, Scratch& scratch,
                                                std::int64_t first, int width,
                                                std::int64_t stop) const {
    static_assert(Team::subwarps <= 8);
    for (int k = 0; k < width; ++k) {
      const std::int64_t j = first + k;
      const std::int64_t pivot = find_pivot(team, scratch, j, stop);
      if (team.thread() == 0) {
        f.pivot[j] = pivot;
        exchange(row_unit[j], row_unit[pivot]);
        if (f.dense) exchange(source[j], source[pivot]);
      }
      for (int c = team.thread(); pivot != j && c < width; c += Team::threads) {
        exchange(f(j, first + c), f(pivot, first + c));
      }
      team.barrier_to_publish();
      const S diagonal = f(j, j);
      // A complex division needs |re| + |im| within the range of its real numbers.
      const double size = magnitude(diagonal);
      const bool is_good =
          size > 0 && size <= Kokkos::Experimental::finite_max_v<heddle::RealOf<S>>;
      if (team.thread() == 0 && !is_good && bad[0] == 0) {
        bad[0] = (order ? order[j] : j) + 1;
        bad[1] = 1;
      }
      for (std::int64_t i = j + 1 + team.thread(); is_good && i < stop; i += Team::threads) {
        f(i, j) = f(i, j) / diagonal;
      }
      for (int c = k + 1; c < width; ++c) {
        const S factor = f(j, first + c);
        for (std::int64_t i = j + 1 + team.thread(); i < stop; i += Team::threads) {
          f(i, first + c) -= f(i, j) * factor;
        }
      }
      team.barrier_to_publish();
    }
  }

  /// Exchanges the rows of a panel in column j, for its steps begin, ..., width - 1.
  KOKKOS_FORCEINLINE_FUNCTION void exchange_rows(std::int64_t first, int begin, int width,
                                                 std::int64_t j) const {
    for (int k = begin; k < width; ++k) {
      const std::int64_t row = first + k, other = f.pivot[row];
      if (other != row) exchange(f(row, j), f(other, j));
    }
  }
  /// A column of U in the rows of a panel: the rows of A in their new order, solved with L.
  KOKKOS_FORCEINLINE_FUNCTION void finish_column(std::int64_t first, int width,
                                                 std::int64_t j) const {
    // Rows that end before column j have only zeros there, and no room for them.
    const auto begin = static_cast<int>(Kokkos::max(j - f.above - first, std::int64_t{0}));
    exchange_rows(first, begin, width, j);
    for (int k = begin; k < width; ++k) {
      const S value = f(first + k, j);
      for (int m = k + 1; m < width; ++m) f(first + m, j) -= f(first + m, first + k) * value;
    }
  }

  /// A -= L U in the rows and columns after a panel, a tile for each team at a time.
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void update_tiles(const All& all, Scratch& scratch,
                                                std::int64_t first, int width,
                                                std::int64_t row_stop,
                                                std::int64_t column_stop) const {
    using Team = typename All::team_type;
    const Team& team = all.team();
    constexpr int lanes = Team::subwarp_width, rows_each = tile / lanes;
    S *const L = scratch.L(), *const U = scratch.U();
    const std::int64_t next = first + width;
    const std::int64_t down = (row_stop - next + tile - 1) / tile;
    const std::int64_t across = (column_stop - next + tile - 1) / tile;
    for (std::int64_t t = team.index(); t < down * across; t += all.teams()) {
      const std::int64_t row = next + t % down * tile, column = next + t / down * tile;
      for (int e = team.thread(); e < tile * width; e += Team::threads) {
        const std::int64_t i = row + e % tile;
        L[e] = i < row_stop ? f(i, first + e / tile) : S(0);
        const std::int64_t j = column + e / width, k = first + e % width;
        U[e] = j < column_stop && f.holds(k, j) ? f(k, j) : S(0);
      }
      team.barrier();
      const auto columns = static_cast<int>(Kokkos::min<std::int64_t>(tile, column_stop - column));
      for (int c = team.subwarp_index(); c < columns; c += Team::subwarps) {
        S sum[rows_each];
        for (int r = 0; r < rows_each; ++r) sum[r] = S(0);
        for (int k = 0; k < width; ++k) {
          const S value = U[c * width + k];
          const S* const of_L = L + k * tile + team.subwarp().lane();
          for (int r = 0; r < rows_each; ++r) sum[r] += of_L[r * lanes] * value;
        }
        for (int r = 0; r < rows_each; ++r) {
          const std::int64_t i = row + r * lanes + team.subwarp().lane();
          if (i < row_stop) f(i, column + c) -= sum[r];
        }
      }
      team.barrier();
    }
  }
};

/// y = (L U)^-1 y for `count` vectors, each contiguous; of a band with its row exchanges, which for
/// a dense matrix have been made in y before.
template <Scalar S>
struct Solve {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<32, 256>;

  Factors<S> f;
  S* y;
  int count;

  template <class All>
  KOKKOS_FUNCTION void operator()(const All& all, Scratch&) const {
    const std::int64_t last = (f.rows - 1) / f.panel * f.panel;
    for (std::int64_t first = 0; first <= last; first += f.panel) {
      const std::int64_t next = first + f.width(first);
      if (all.team().index() == 0) solve_panel<true>(all.team(), first);
      all.barrier();
      subtract(all, first, next, Kokkos::min(f.rows, next + f.below));
      all.barrier();
    }
    for (std::int64_t first = last; first >= 0; first -= f.panel) {
      if (all.team().index() == 0) solve_panel<false>(all.team(), first);
      all.barrier();
      subtract(all, first, Kokkos::max(first - f.above, std::int64_t{0}), first);
      all.barrier();
    }
  }

 private:
  /// Solves with the triangle of L, or of U, in the rows of a panel: a subwarp for each vector, an
  /// entry or several for each lane.
  template <bool lower, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void solve_panel(const Team& team, std::int64_t first) const {
    constexpr int lanes = Team::subwarp_width, rows_each = (most_panel + lanes - 1) / lanes;
    const auto subwarp = team.subwarp();
    const int width = f.width(first);
    for (int v = team.subwarp_index(); v < count; v += Team::subwarps) {
      S* const x = y + v * f.rows;
      if (lower && !f.dense && subwarp.lane() == 0) {
        for (int k = 0; k < width; ++k) exchange(x[first + k], x[f.pivot[first + k]]);
      }
      subwarp.sync();
      S own[rows_each];
      for (int r = 0; r < rows_each; ++r) {
        const int m = r * lanes + subwarp.lane();
        own[r] = m < width ? x[first + m] : S(0);
      }
      for (int step = 0; step < width; ++step) {
        const int k = lower ? step : width - 1 - step;
        const int r_of_k = rows_each == 1 ? 0 : k / lanes;
        if (!lower && subwarp.lane() == k % lanes) {
          own[r_of_k] = own[r_of_k] / f(first + k, first + k);
        }
        const S value = subwarp.broadcast(own[r_of_k], k % lanes);
        for (int r = 0; r < rows_each; ++r) {
          const int m = r * lanes + subwarp.lane();
          const bool is_left = lower ? m > k && m < width : m < k;
          if (is_left) own[r] -= f(first + m, first + k) * value;
        }
      }
      for (int r = 0; r < rows_each; ++r) {
        const int m = r * lanes + subwarp.lane();
        if (m < width) x[first + m] = own[r];
      }
    }
  }

  /// Subtracts the columns of a panel, times their unknowns, from rows begin, ..., stop - 1.
  template <class All>
  KOKKOS_FORCEINLINE_FUNCTION void subtract(const All& all, std::int64_t first, std::int64_t begin,
                                            std::int64_t stop) const {
    constexpr int at_once = All::team_type::threads == 1 ? 32 : 1;
    const int width = f.width(first);
    const std::int64_t blocks = (stop - begin + at_once - 1) / at_once;
    // Threads get whole blocks, so that a row has the same place in a block, and the same rounding,
    // for any number of them.
    share(all, 0, blocks, [&](std::int64_t from, std::int64_t to) {
      for (int v = 0; v < count; ++v) {
        S* const x = y + v * f.rows;
        for (std::int64_t block = from; block < to; ++block) {
          const std::int64_t i = begin + block * at_once;
          const auto rows = static_cast<int>(Kokkos::min<std::int64_t>(at_once, stop - i));
          S sum[at_once];
          for (int r = 0; r < at_once; ++r) sum[r] = S(0);
          for (int k = 0; k < width; ++k) {
            const S value = x[first + k];
            const std::int64_t j = first + k;
            // Above these rows there is no room for entries of column j.
            const auto low = static_cast<int>(
                Kokkos::min<std::int64_t>(rows, Kokkos::max(j - f.above - i, std::int64_t{0})));
            for (int r = low; r < rows; ++r) sum[r] += f(i + r, j) * value;
          }
          for (int r = 0; r < rows; ++r) x[i + r] -= sum[r];
        }
      }
    });
  }
};

/// Runs a kernel by about `teams` teams. The words serve one launch at a time.
template <ExecutionSpace Exec, class Kernel>
void launch_together(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
                     int* words) {
  using Shape = typename Kernel::Shape;
  if constexpr (backends::has_cooperative<Exec>) {
    const auto most = backends::most_cooperative_teams<Shape, Kernel>(exec);
    if (const auto granted = std::min<std::int64_t>(teams, most); granted > 1) {
      return backends::launch_cooperative<Shape>(exec, label, static_cast<int>(granted), kernel,
                                                 backends::MeetingWords{words, words + 1});
    }
  }
  backends::launch<Shape>(exec, label, 1, backends::InOneTeam<Kernel>{kernel});
}

}  // namespace heddle::detail::direct
