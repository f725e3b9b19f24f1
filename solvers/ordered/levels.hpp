// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../backends/atomics.hpp"
#include "../../backends/host/progress.hpp"
#include "../../backends/host/threads.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/memory.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/error.hpp"
#include "loop.hpp"

namespace heddle::detail::ordered {

/// A loop whose iteration i reads the items item(k), begin(i) <= k < end(i); `entries`: their
/// number in the whole loop. Items that no earlier iteration writes are skipped: they have been
/// checked.
template <class Loop>
concept ReadsRows = requires(const Loop& loop) {
  loop.reads.item(loop.reads.begin(loop.iterations));
  loop.reads.end(loop.iterations);
  loop.reads.entries;
};

/// Mean number of items of an iteration from which all lanes of a warp read them.
inline constexpr std::int64_t min_items_per_warp = 8;

/// LevelsKernel for a loop that ReadsRows, with `Lanes` lanes for each iteration: 1, or all of a
/// warp. A lane resumes at the item whose level was missing.
template <class Loop, int Lanes>
struct LevelsOfRowsKernel {
  using Scratch = backends::NoScratch;

  Loop loop;
  int* level;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto warp = team.subwarp();
    const std::int64_t position = (team.index() * Team::threads + team.thread()) / Lanes;
    bool done = position >= static_cast<std::int64_t>(loop.iterations);
    const auto i = loop.iteration(done ? 0 : position);
    auto k = loop.reads.begin(i) + (Lanes > 1 ? warp.lane() : 0);
    const auto end = done ? k : loop.reads.end(i);
    int above = 0;
    if constexpr (Lanes == 1) {
      while (warp.any(!done)) {  // no lane leaves before its warp: LevelsKernel
        if (done || !look(i, k, end, above)) continue;
        backends::post(level + i, above);
        done = true;
      }
    } else {
      while (!warp.all(look(i, k, end, above))) {
      }
      above = warp.max(above);
      if (!done && warp.lane() == 0) backends::post(level + i, above);
    }
  }

 private:
  /// Advances k to the first item that has no level yet; returns whether there is none.
  template <class O, class Off>
  KOKKOS_FORCEINLINE_FUNCTION bool look(O i, Off& k, Off end, int& above) const {
    for (; k < end; k += Lanes) {
      const O j = loop.reads.item(k);
      if (!loop.before(j, i)) continue;
      const int below = backends::look(level + j);
      if (below < 0) return false;
      above = above > below ? above : below + 1;
    }
    return true;
  }
};

/// Launches the search for levels, by teams that wait for lower ones.
template <int Lanes, ExecutionSpace Exec, class Loop>
void launch_levels_of_rows(const Exec& exec, const Loop& loop, int* level,
                           const backends::Tickets& tickets) {
  constexpr int threads = 256;
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, threads>;
  const auto teams = ceil_div<std::int64_t>(loop.iterations, threads / Lanes);
  backends::launch_by_ticket<Shape>(exec, "heddle::ordered::levels", teams,
                                    LevelsOfRowsKernel<Loop, Lanes>{loop, level}, tickets);
}

/// Messages of iterations to the later ones whose items they read ahead, and which wait for them.
/// Null if the loop does not read ahead.
struct ReadersBefore {
  int* readers = nullptr;  ///< for each item: how often earlier iterations read it ahead
  int* told = nullptr;     ///< the number of these reads whose iteration has its level
  int* level = nullptr;    ///< the lowest level that they leave to the item's iteration

  KOKKOS_FORCEINLINE_FUNCTION bool exist() const { return readers != nullptr; }
};

template <class Loop>
struct CountReaders {
  Loop loop;
  int* readers;

  KOKKOS_FUNCTION void operator()(std::int64_t position) const {
    using O = decltype(loop.iterations);
    loop.visit(loop.iteration(position), [](O) {}, [&](O j) { backends::atomic_inc(readers + j); });
  }
};

/// Computes the level of each iteration: 0 if it waits for none, else one above the highest that it
/// waits for. One thread for each iteration; level -1: not known yet.
///
/// Iterations are taken in the order of the loop, by ticket, so every wait is for an earlier team
/// or for an iteration of the same warp. No lane leaves the loop before its warp, and levels are
/// posted inside it, so that no lane keeps another from posting what it waits for. A round reads
/// the levels of an iteration's items up to the first that is missing, and the next round resumes
/// there.
template <class Loop>
struct LevelsKernel {
  using Scratch = backends::NoScratch;

  Loop loop;
  int* level;
  ReadersBefore before;
  LevelSums* sums;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using O = decltype(loop.iterations);
    const auto subwarp = team.subwarp();
    const std::int64_t position = team.index() * Team::threads + team.thread();
    bool done = position >= static_cast<std::int64_t>(loop.iterations);
    const O i = loop.iteration(done ? 0 : position);
    int above = 0;
    std::int64_t known = 0;  // items whose level is known
    while (subwarp.any(!done)) {
      if (done) continue;
      std::int64_t item = 0;
      bool ready = !before.exist() || backends::look(before.told + i) == before.readers[i];
      bool ahead = false;
      const bool inside = loop.visit(
          i,
          [&](O j) {
            if (!ready || item++ < known) return;
            const int below = backends::look(level + j);
            ready = below >= 0;
            if (!ready) return;
            above = above > below ? above : below + 1;
            ++known;
          },
          [&](O) { ahead = true; });
      if (!ready) continue;
      if (before.exist()) above = tell(i, above);
      if (!inside || (ahead && loop.ahead == ReadsAhead::error)) {
        backends::atomic_min(&sums->bad, static_cast<std::int64_t>(i));
      }
      backends::post(level + i, above);
      done = true;
    }
  }

 private:
  /// Returns the level of an iteration, whose earlier readers all have theirs, and posts it to the
  /// iterations whose items it reads ahead.
  KOKKOS_FORCEINLINE_FUNCTION int tell(decltype(Loop::iterations) i, int above) const {
    using O = decltype(loop.iterations);
    backends::fence();  // between the count of readers and the level
    const int least = backends::atomic_load(before.level + i);
    const int mine = above > least ? above : least;
    loop.visit(
        i, [](O) {},
        [&](O j) {
          backends::atomic_max(before.level + j, mine + 1);
          backends::arrive(before.told + j);
        });
    return mine;
  }
};

/// One round that raises every iteration above those that it waits for; `rose`: whether any rose.
template <class Loop>
struct RaiseKernel {
  Loop loop;
  int* level;
  LevelSums* sums;

  KOKKOS_FUNCTION void operator()(std::int64_t position, int& rose) const {
    using O = decltype(loop.iterations);
    const O i = loop.iteration(position);
    int above = backends::atomic_load(level + i);
    const int before = above;
    bool ahead = false;
    const bool inside = loop.visit(
        i,
        [&](O j) {
          const int below = backends::atomic_load(level + j);
          above = above > below ? above : below + 1;
        },
        [&](O) { ahead = true; });
    if (above > before) {
      backends::atomic_max(level + i, above);
      rose = 1;
    }
    if (ahead && loop.ahead == ReadsAhead::old_value) {
      loop.visit(
          i, [](O) {},
          [&](O j) {
            if (backends::atomic_fetch_max(level + j, above + 1) <= above) rose = 1;
          });
      ahead = false;
    }
    if (ahead || !inside) backends::atomic_min(&sums->bad, static_cast<std::int64_t>(i));
  }
};

struct BeginLevels {
  int* level;
  int unknown;  ///< the level of an iteration before the search
  ReadersBefore before;
  backends::Tickets tickets;
  LevelSums* sums;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    level[i] = unknown;
    if (before.exist()) before.readers[i] = before.told[i] = before.level[i] = 0;
    if (i > 0) return;
    tickets.clear();
    sums->bad = LevelSums::nowhere;
  }
};

struct HighestLevel {
  const int* level;

  KOKKOS_FUNCTION void operator()(std::int64_t i, int& most) const {
    most = most > level[i] ? most : level[i];
  }
};

/// Writes the level of every iteration. Waits for `exec`. One launch whose teams wait for each
/// other, after one that counts readers if the loop reads ahead. If teams may not wait, a launch
/// and a readback for each level.
template <ExecutionSpace Exec, Ordinal O, class Reads>
LevelSums find_levels_on_device(const Exec& exec, const Loop<O, Reads>& loop, int* level) {
  using Space = typename Exec::memory_space;
  const std::int64_t n = loop.iterations;
  LevelSums found;
  if (n == 0) return found;
  const auto& space = kokkos_space(exec);
  constexpr bool by_wait = backends::waits_make_progress<Exec>;
  const bool ahead = by_wait && loop.ahead == ReadsAhead::old_value;
  const auto told = static_cast<std::size_t>(ahead ? n : 0);
  Arena<Space> work(exec, "heddle::ordered::search",
                    arena_bytes<LevelSums, std::uint32_t, int, int, int>(1, 1, told, told, told));
  LevelSums* const sums = work.template take<LevelSums>(1).data();
  const backends::Tickets tickets{work.template take<std::uint32_t>(1).data()};
  ReadersBefore before;
  if (ahead) {
    for (int** array : {&before.readers, &before.told, &before.level}) {
      *array = work.template take<int>(told).data();
    }
  }
  Kokkos::parallel_for("heddle::ordered::no_levels", range_policy(exec, n),
                       BeginLevels{level, by_wait ? -1 : 0, before, tickets, sums});
  if constexpr (by_wait) {
    if (ahead) {
      Kokkos::parallel_for("heddle::ordered::readers", range_policy(exec, n),
                           CountReaders<Loop<O, Reads>>{loop, before.readers});
    }
    if constexpr (ReadsRows<Loop<O, Reads>>) {
      if (loop.reads.entries < n * min_items_per_warp) {
        launch_levels_of_rows<1>(exec, loop, level, tickets);
      } else {
        launch_levels_of_rows<backends::max_subwarp_width<Exec>>(exec, loop, level, tickets);
      }
    } else {
      constexpr int threads = 256;
      using Shape = backends::Shape<backends::max_subwarp_width<Exec>, threads>;
      backends::launch_by_ticket<Shape>(
          exec, "heddle::ordered::levels", ceil_div<std::int64_t>(n, threads),
          LevelsKernel<Loop<O, Reads>>{loop, level, before, sums}, tickets);
    }
  } else {
    for (int rose = 1; rose > 0;) {
      Kokkos::parallel_reduce("heddle::ordered::raise", range_policy(exec, n),
                              RaiseKernel<Loop<O, Reads>>{loop, level, sums},
                              Kokkos::Max<int>(rose));
    }
  }
  using Highest = Kokkos::View<int, Space, Kokkos::MemoryUnmanaged>;
  Kokkos::parallel_reduce("heddle::ordered::highest", range_policy(exec, n), HighestLevel{level},
                          Kokkos::Max<int, Space>(Highest(&sums->levels)));
  using Device = Kokkos::View<const LevelSums, Space, Kokkos::MemoryUnmanaged>;
  using Host = Kokkos::View<LevelSums, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(space, Host(&found), Device(sums));
  exec.fence("heddle::ordered::searched");
  ++found.levels;
  return found;
}

/// Writes the level of every iteration, 0 if it waits for none, else one above the highest that it
/// waits for; and its steps, unless `steps` is null. Waits for `exec`.
///
/// Threads take chunks of the loop in turn, and an iteration waits for the levels of earlier ones.
/// Every wait ends: it is for the same or an earlier chunk, and each thread takes its chunks in
/// order, so the first unfinished chunk waits only for earlier iterations of its own.
template <ExecutionSpace Exec, Ordinal O, class Reads>
LevelSums levels_of_reads_behind(const Exec& exec, const Loop<O, Reads>& loop, int* level,
                                 int* steps) {
  const std::int64_t n = loop.iterations;
  Kokkos::parallel_for("heddle::ordered::no_levels", range_policy(exec, n),
                       [=](std::int64_t i) { level[i] = -1; });
  std::int64_t bad = LevelSums::nowhere;
  int highest = -1;
  const auto search = [&loop, &bad, &highest, level, steps, n](int me, int threads) {
    backends::SpinThenYield spin;
    int most = -1;
    for (std::int64_t chunk = me; chunk * search_chunk < n; chunk += threads) {
      const std::int64_t stop = std::min(n, (chunk + 1) * search_chunk);
      for (std::int64_t position = chunk * search_chunk; position < stop; ++position) {
        const O i = loop.iteration(position);
        int above = 0, work = static_cast<int>(steps_per_iteration);
        bool ahead = false;
        const bool inside = loop.visit(
            i,
            [&](O j) {
              int below = backends::look(level + j);
              if (below < 0) {
                spin.wait([&] { return (below = backends::look(level + j)) >= 0; });
              }
              above = std::max(above, below + 1);
              ++work;
            },
            [&](O) { ahead = true; });
        if (!inside || ahead) backends::atomic_min(&bad, static_cast<std::int64_t>(i));
        backends::post(level + i, above);
        if (steps) steps[i] = work;
        most = std::max(most, above);
      }
    }
    backends::atomic_max(&highest, most);
  };
  const std::int64_t chunks = ceil_div(n, search_chunk);
  const auto asked =
      static_cast<int>(std::min<std::int64_t>(backends::threads_at_once(exec), chunks));
  if (n > 0) backends::launch_threads(exec, "heddle::ordered::levels", asked, search);
  return {highest + 1, bad};
}

/// Writes levels and steps by one thread, for a loop that reads ahead, whose iterations also make
/// later ones wait.
template <ExecutionSpace Exec, Ordinal O, class Reads>
LevelSums levels_of_all_reads(const Exec& exec, const Loop<O, Reads>& loop, int* level,
                              int* steps) {
  const std::int64_t n = loop.iterations;
  LevelSums sums;
  const auto search = [&loop, &sums, level, steps, n](int, int) {
    for (std::int64_t i = 0; i < n; ++i) level[i] = 0;
    for (std::int64_t position = 0; position < n; ++position) {
      const O i = loop.iteration(position);
      int above = level[i], work = static_cast<int>(steps_per_iteration);
      const bool inside = loop.visit(
          i, [&](O j) { above = std::max(above, level[j] + 1), ++work; }, [&](O) { ++work; });
      loop.visit(i, [](O) {}, [&](O j) { level[j] = std::max(level[j], above + 1); });
      if (!inside) sums.bad = std::min(sums.bad, static_cast<std::int64_t>(i));
      level[i] = above;
      if (steps) steps[i] = work;
      sums.levels = std::max(sums.levels, above + 1);
    }
  };
  if (n > 0) backends::launch_threads(exec, "heddle::ordered::levels", 1, search);
  return sums;
}

template <ExecutionSpace Exec, Ordinal O, class Reads>
LevelSums find_levels_on_threads(const Exec& exec, const Loop<O, Reads>& loop, int* level,
                                 int* steps) {
  return loop.ahead == ReadsAhead::error ? levels_of_reads_behind(exec, loop, level, steps)
                                         : levels_of_all_reads(exec, loop, level, steps);
}

/// Whether loops run as threads of one launch that wait for each other.
template <ExecutionSpace Exec>
inline constexpr bool on_threads =
    backends::runs_on_host<Exec> && backends::waits_make_progress<Exec>;

/// The level of every iteration of a loop: 0 if it waits for none, else one above the highest that
/// it waits for.
///
/// Source: J. Park et al., "Sparsifying synchronization for high-performance shared-memory sparse
/// triangular solver", ISC 2014, for levels in one sweep.
template <ExecutionSpace Exec>
class Levels {
 public:
  using Space = typename Exec::memory_space;
  using Array = typename Arena<Space>::template Array<int>;

  /// One allocation besides those of the search; waits. The loop must read only what it may; to
  /// check that, use find_levels_on_threads or find_levels_on_device, and check_reads.
  template <Ordinal O, class Reads>
  Levels(const Exec& exec, const Loop<O, Reads>& loop)
      : memory_(exec, "heddle::ordered::level",
                arena_bytes<int>(static_cast<std::size_t>(loop.iterations))),
        of_(memory_.template take<int>(static_cast<std::size_t>(loop.iterations))),
        count_(find(exec, loop).levels) {}

  /// The level of each iteration.
  Array of() const { return of_; }
  int count() const { return count_; }

 private:
  template <Ordinal O, class Reads>
  LevelSums find(const Exec& exec, const Loop<O, Reads>& loop) const {
    if constexpr (on_threads<Exec>) {
      return find_levels_on_threads(exec, loop, of_.data(), nullptr);
    } else {
      return find_levels_on_device(exec, loop, of_.data());
    }
  }

  Arena<Space> memory_;
  Array of_;
  int count_;
};

template <Ordinal O>
void check_loop(O n, SweepDirection sweep) {
  if (n < 0) {
    throw Error("the loop has " + std::to_string(n) + " iterations", "give 0 or more");
  }
  if (sweep == SweepDirection::symmetric) {
    throw Error("one loop cannot go forward and backward",
                "make one of SweepDirection::forward and one of SweepDirection::backward");
  }
}

/// The argument `visit` of reads(i, visit) that keeps the first item that iteration i may not read.
template <class Loop>
struct KeepWrongItem {
  using O = decltype(Loop::iterations);

  const Loop& loop;
  O i;
  bool& found;
  std::int64_t& wrong;

  HEDDLE_NO_EXECUTION_CHECK
  template <class Item>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Item& item) const {
    const auto j = static_cast<std::int64_t>(item);
    const bool inside = j >= 0 && j < static_cast<std::int64_t>(loop.iterations);
    const bool allowed = inside && (loop.ahead == ReadsAhead::old_value || static_cast<O>(j) == i ||
                                    loop.before(static_cast<O>(j), i));
    if (found || allowed) return;
    found = true;
    wrong = j;
  }
};

template <class Loop>
struct FindWrongItem {
  Loop loop;
  std::int64_t iteration;

  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t& wrong) const {
    bool found = false;
    const auto i = static_cast<decltype(loop.iterations)>(iteration);
    loop.reads(i, KeepWrongItem<Loop>{loop, i, found, wrong});
  }
};

/// Throws Error if the search for levels found an iteration that reads what it may not, naming
/// both.
template <ExecutionSpace Exec, class Loop>
void check_reads(const Exec& exec, const LevelSums& sums, const Loop& loop) {
  if (sums.bad == LevelSums::nowhere) return;
  std::int64_t item = 0;
  Kokkos::parallel_reduce("heddle::ordered::wrong_item", range_policy(exec, 1),
                          FindWrongItem<Loop>{loop, sums.bad}, item);
  const std::string reads =
      "iteration " + std::to_string(sums.bad) + " reads item " + std::to_string(item);
  if (item < 0 || item >= static_cast<std::int64_t>(loop.iterations)) {
    throw Error(
        reads + ", which none of the " + std::to_string(loop.iterations) + " iterations writes",
        "leave it out: items are those that the loop writes, from 0");
  }
  throw Error(reads + ", which the loop writes later",
              "use ReadsAhead::old_value if it reads the value from before the loop; else reverse "
              "the sweep, or leave the item out");
}

}  // namespace heddle::detail::ordered
