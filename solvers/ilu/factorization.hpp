// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/device.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../ordered/schedule.hpp"
#include "../wavefronts/wavefronts.hpp"
#include "list_updates.hpp"
#include "row.hpp"
#include "schemes.hpp"

namespace heddle::detail::ilu {

/// A warp for each row, level by level, by ticket: in the order of rows the warps that run would
/// hold few rows of a grid, each waiting for the one before. The values of a row are plain data,
/// and a word is published once they are written.
///
/// Termination: teams get places in the order in which they begin, and a row waits for rows of
/// lower levels. So the lowest place that is not done belongs to a warp that runs and waits for no
/// other. A warp has one row, so no lane waits for a lane of its own warp.
template <class Row, int WarpWidth>
struct EliminateKernel {
  using Scratch = backends::NoScratch;
  using O = typename Row::O;
  using Shape = backends::Shape<WarpWidth, 256>;

  Row row;
  const O* by_level;  ///< the row at each place
  std::int64_t rows;
  std::uint32_t* done;  ///< flag of each row; zero before the launch

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t place = team.index() * Team::subwarps + team.subwarp_index();
    if (place >= rows) return;
    const auto warp = team.subwarp();
    const O i = by_level[place];
    row(warp, i,
        [&](O t) { backends::await(done + t, [](std::uint32_t seen) { return seen != 0; }); });
    warp.sync();
    if (warp.lane() == 0) backends::publish(done + i, std::uint32_t{1});
  }
};

/// A sweep: rows do not wait, since they read the values of the sweep before.
template <class Row, int Width>
struct SweepKernel {
  using Scratch = backends::NoScratch;
  using O = typename Row::O;
  using Off = typename Row::Off;
  using S = typename Row::S;
  using Shape = backends::Shape<Width, 256>;

  Row row;
  const S* loaded;  ///< the values of A
  std::int64_t rows;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= rows) return;
    const auto subwarp = team.subwarp();
    const auto& factors = row.factors;
    for (Off k = factors.row_ptr[i] + static_cast<Off>(subwarp.lane()); k < factors.row_ptr[i + 1];
         k += static_cast<Off>(Team::subwarp_width)) {
      factors.values[k] = loaded[k];
    }
    subwarp.sync();
    row(subwarp, static_cast<O>(i), [](O) {});
  }
};

/// The body of a loop over rows that already waits.
template <class Row>
struct RowAlone {
  using O = typename Row::O;
  Row row;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(O i) const {
    row(OneLane(), i, [](O) {});
  }
};

/// Multiplies the diagonal of A, in the values of its factors, by `factor`.
template <Scalar S, Offset Off>
struct GrowDiagonal {
  const Off* diagonal;
  heddle::RealOf<S> factor;
  S* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[diagonal[i]] *= factor; }
};

/// Before a factorization: clears flags, tickets and the bad row.
struct BeginRows {
  std::uint32_t* words;  ///< flags and tickets of EliminateKernel
  std::int64_t count;
  std::int64_t* bad;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i < count) {
      words[i] = 0;
    } else {
      *bad = 0;
    }
  }
};

/// Computes the values of factors from those of A, repeatedly, by one scheme, in its own array. Row
/// is EliminateRow or CholeskyRow.
template <ExecutionSpace Exec, class Matrix, template <class> class RowOf>
class Factorization {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Row = RowOf<Factors<S, O, Off>>;

  Factorization() = default;

  /// Keeps the pattern. Allocates all that run() needs; waits for `exec`.
  Factorization(const Exec& exec, FactorPattern<Exec, O, Off> pattern, const IluOptions& options,
                const char* name)
      : pattern_(std::move(pattern)), pivot_floor_(options.pivot_floor) {
    const AskedScheme asked(options, name, backends::describe(exec));
    sweeps_ = asked.sweeps();
    allocate(exec);
    if (asked.updates != "searched") {
      const auto view = pattern_.view();
      updates_ = ListedUpdates<Exec>::of(exec, Row{factors()}, view.rows, view.entries,
                                         pattern_.longest_row(), asked.updates == "listed");
    }
    schedule(exec, options, asked, name);
  }

  /// Queues the factorization of A + growth diag(A) on `exec`: no wait, no allocation.
  void run(const Exec& exec, const Matrix& A, double growth = 0) {
    S* const values = sweeps_ > 0 ? loaded_.data() : values_.data();
    const auto words = static_cast<std::int64_t>(done_.extent(0));
    with_values(A, pattern_, pattern_.view(), values, [&](std::int64_t n, const auto& load) {
      two_loops(exec, "heddle::ilu::load", n, load, words + 1,
                BeginRows{done_.data(), words, bad()});
    });
    if (growth > 0) {
      using Real = heddle::RealOf<S>;
      Kokkos::parallel_for(
          "heddle::ilu::grow_diagonal", range_policy(exec, pattern_.view().rows),
          GrowDiagonal<S, Off>{pattern_.diagonal(), static_cast<Real>(1 + growth), values});
    }
    if (sweeps_ > 0) return sweep(exec);
    const Row row{factors()};
    if constexpr (hands_over) {
      hand_over(exec, row);
    } else {
      waves_.for_each(exec, "heddle::ilu::rows", RowAlone<Row>{row});
    }
  }

  const FactorPattern<Exec, O, Off>& pattern() const { return pattern_; }
  const Scheme& scheme() const { return scheme_; }
  bool exact() const { return sweeps_ == 0; }
  S* values() const { return values_.data(); }
  /// The factors that run() wrote.
  Factors<S, O, Off> factors() const { return factors(values_.data(), values_.data()); }
  /// Level of each row of L, if the scheme needed levels; null after forget_levels().
  const ordered::Levels<Exec>* levels() const { return levels_ ? &*levels_ : nullptr; }
  void forget_levels() { levels_.reset(); }
  /// 0, or one more than the lowest row with a bad pivot.
  std::int64_t* bad() const { return bad_.data(); }
  std::size_t bytes() const {
    return pattern_.bytes() + updates_.bytes() + memory_.bytes() + waves_.bytes() +
           schedule_.bytes();
  }

 private:
  using Space = typename Exec::memory_space;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;
  static constexpr bool hands_over =
      backends::has_lanes<Exec> && backends::waits_make_progress<Exec>;
  static constexpr int warp_width = backends::max_subwarp_width<Exec>;

  void allocate(const Exec& exec) {
    const auto entries = static_cast<std::size_t>(pattern_.view().entries);
    const auto rows = static_cast<std::size_t>(pattern_.view().rows);
    const std::size_t loaded = sweeps_ > 0 ? entries : 0, other = sweeps_ > 1 ? entries : 0;
    const bool waits = hands_over && sweeps_ == 0;
    const std::size_t flags = waits ? rows + 1 : 0;
    memory_ = Arena<Space>(exec, "heddle::ilu::values", arena_array(values_, entries),
                           arena_array(loaded_, loaded), arena_array(other_, other),
                           arena_array(done_, flags), arena_array(bad_, 1));
  }

  void schedule(const Exec& exec, const IluOptions& options, const AskedScheme& asked,
                const char* name) {
    if (sweeps_ > 0) {
      scheme_ = with_updates(name, *asked.scheme(), updates_.listed());
      return;
    }
    const auto view = pattern_.view();
    const auto rows = static_cast<O>(view.rows);
    const LowerReads<O, Off> reads{view.row_ptr, view.col_idx, pattern_.diagonal(), view.entries};
    if constexpr (hands_over) {
      const ordered::Loop<O, LowerReads<O, Off>> loop{rows, SweepDirection::forward,
                                                      ReadsAhead::error, reads};
      levels_.emplace(exec, loop);
      schedule_ = ordered::Schedule<Exec, O>::by_level(exec, rows, loop.sweep, *levels_);
      scheme_ = with_updates(name, Scheme(name, {{"hand-over"}}), updates_.listed());
    } else {
      WavefrontsOptions of_waves;
      of_waves.threads = options.threads;
      if (asked.scheme()) of_waves.scheme = of_wavefronts(*asked.scheme());
      waves_ = Wavefronts<Exec, O>(exec, rows, reads, of_waves);
      scheme_ = with_updates(name, waves_.scheme(), updates_.listed());
    }
  }

  Factors<S, O, Off> factors(const S* others, S* values) const {
    const auto view = pattern_.view();
    using Real = heddle::RealOf<S>;
    return {view.row_ptr,
            view.col_idx,
            pattern_.diagonal(),
            others,
            values,
            {static_cast<Real>(pivot_floor_), bad()},
            updates_.updates()};
  }

  /// The flags, and the tickets after them, are cleared before every launch (BeginRows), so that a
  /// refused launch has no effect on the next one.
  void hand_over(const Exec& exec, const Row& row) {
    using Kernel = EliminateKernel<Row, warp_width>;
    constexpr std::int64_t rows_per_team = backends::Team<Exec, typename Kernel::Shape>::subwarps;
    const std::int64_t rows = pattern_.view().rows;
    backends::launch_by_ticket<typename Kernel::Shape>(
        exec, "heddle::ilu::hand_over", ceil_div(rows, rows_per_team),
        Kernel{row, schedule_.order().iterations, rows, done_.data()},
        backends::Tickets{done_.data() + rows});
  }

  /// Each sweep reads one array and writes the other; the last one writes values_ and reports bad
  /// pivots.
  void sweep(const Exec& exec) {
    constexpr int width = backends::has_lanes<Exec> ? 8 : 1;
    using Kernel = SweepKernel<Row, width>;
    constexpr std::int64_t rows_per_team = backends::Team<Exec, typename Kernel::Shape>::subwarps;
    const std::int64_t rows = pattern_.view().rows;
    const S* from = loaded_.data();
    for (std::int64_t left = sweeps_; left-- > 0;) {
      S* const to = left % 2 == 0 ? values_.data() : other_.data();
      if (left == 0) heddle::detail::fill(exec, "heddle::ilu::no_bad_pivot", bad(), 1, 0);
      backends::launch<typename Kernel::Shape>(
          exec, "heddle::ilu::sweep", ceil_div(rows, rows_per_team),
          Kernel{Row{factors(from, to)}, loaded_.data(), rows});
      from = to;
    }
  }

  FactorPattern<Exec, O, Off> pattern_;
  double pivot_floor_ = 0;
  ListedUpdates<Exec> updates_;
  Scheme scheme_;
  std::int64_t sweeps_ = 0;
  Wavefronts<Exec, O> waves_;
  ordered::Schedule<Exec, O> schedule_;
  std::optional<ordered::Levels<Exec>> levels_;
  Arena<Space> memory_;
  Array<S> values_, loaded_, other_;
  Array<std::uint32_t> done_;
  Array<std::int64_t> bad_;
};

}  // namespace heddle::detail::ilu
