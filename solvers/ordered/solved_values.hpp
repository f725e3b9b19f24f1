// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/mailbox.hpp"
#include "../../backends/memory.hpp"
#include "../../backends/tickets.hpp"
#include "../../backends/unroll.hpp"
#include "../../core/arena.hpp"
#include "../../core/move_only.hpp"
#include "../../core/types.hpp"

namespace heddle::detail::ordered {

/// The turn of two sets that solves use alternately, and the teams of the running solve that have
/// ended. The last of them passes the turn on: on the device, so that a captured solve may be
/// replayed.
struct Turn {
  struct State {
    std::uint32_t solves = 0;  ///< solves before this one, whose parity is its set
    std::int32_t ended = 0;    ///< teams of the running solve that have ended
  };

  State* state;

  /// The set of this solve, equal for all of its teams until the last has ended.
  KOKKOS_FORCEINLINE_FUNCTION int set() const {
    return static_cast<int>(backends::look(&state->solves) & 1u);
  }
  /// Called by one thread of each of `teams` teams, after all its other work. Returns whether it is
  /// the last, which then passes the turn on.
  KOKKOS_FORCEINLINE_FUNCTION bool ends(std::int64_t teams) const {
    if (backends::arrive(&state->ended) + 1 < teams) return false;
    backends::fence();
    return true;
  }
  KOKKOS_FORCEINLINE_FUNCTION void pass() const {
    backends::post(&state->ended, std::int32_t{0});
    backends::post(&state->solves, backends::look(&state->solves) + 1);
  }
};

/// The values that rows pass to the rows that need them, each its own flag, as kernels see them.
///
/// There are two sets of places, used alternately: a solve posts in one and clears all values that
/// the previous solve posted in the other, also if it has fewer vectors than that.
template <Scalar V>
struct SolvedValues {
  using Mailbox = backends::Mailbox<V, 1>;

  Mailbox sets[2];
  std::int32_t* held;  ///< vectors that each set holds
  Turn turn;
  std::int64_t places;
  int vectors;  ///< vectors of this solve

  /// The set that this solve posts in.
  KOKKOS_FORCEINLINE_FUNCTION int set() const { return turn.set(); }
  /// Number of vectors that the previous solve posted in the other set.
  KOKKOS_FORCEINLINE_FUNCTION int vectors_to_empty(int set) const {
    return backends::look(&held[1 - set]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t at(std::int64_t place, int vector) const {
    return vector * places + place;
  }
  /// Clears the values that the previous solve posted at a place. Called by one thread, before its
  /// row posts.
  KOKKOS_FORCEINLINE_FUNCTION void empty(int set, std::int64_t place) const {
    const int full = vectors_to_empty(set);
    for (int v = 0; v < full; ++v) sets[1 - set].clear(at(place, v));
  }
  /// Called by one thread of each team, after all its other work; the last of `teams` exchanges the
  /// sets.
  KOKKOS_FORCEINLINE_FUNCTION void end(int set, std::int64_t teams) const {
    if (!turn.ends(teams)) return;
    backends::post(&held[set], static_cast<std::int32_t>(vectors));
    turn.pass();
  }
};

/// Item i clears the values at i in both sets; item `words` resets the turn.
template <Scalar V>
struct ClearSolvedValues {
  SolvedValues<V> values;
  std::int64_t words;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i == words) {
      *values.turn.state = Turn::State();
      values.held[0] = values.held[1] = 0;
      return;
    }
    values.sets[0].clear(i);
    values.sets[1].clear(i);
  }
};

/// The memory of solved values, for up to `room` vectors at once.
template <ExecutionSpace Exec, Scalar V>
class SolvedValuesStorage {
 public:
  using Space = typename Exec::memory_space;
  using Values = SolvedValues<V>;

  SolvedValuesStorage() = default;

  /// One allocation and one launch in the order of `exec`, no wait.
  SolvedValuesStorage(const Exec& exec, std::int64_t places, int room)
      : places_(places), room_(room) {
    using Mailbox = typename Values::Mailbox;
    using Word = typename Mailbox::Word;
    const auto words = static_cast<std::size_t>(places * room * Mailbox::words_per_place);
    memory_ = Arena<Space>(exec, "heddle::ordered::solved",
                           arena_bytes<Word, Word, std::int32_t, Turn::State>(words, words, 2, 1));
    for (Mailbox& set : sets_) set.words = memory_.template take<Word>(words).data();
    held_ = memory_.template take<std::int32_t>(2).data();
    turn_.state = memory_.template take<Turn::State>(1).data();
    clear(exec);
  }

  /// Clears both sets. One launch in the order of `exec`.
  void clear(const Exec& exec) const {
    const std::int64_t words = places_ * room_;
    Kokkos::parallel_for("heddle::ordered::clear", range_policy(exec, words + 1),
                         ClearSolvedValues<V>{of(room_), words});
  }

  /// The values for a solve of `vectors` vectors.
  Values of(int vectors) const { return {{sets_[0], sets_[1]}, held_, turn_, places_, vectors}; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  std::int64_t places_ = 0;
  int room_ = 1;
  Arena<Space> memory_;
  typename Values::Mailbox sets_[2];
  std::int32_t* held_ = nullptr;
  Turn turn_ = {nullptr};
};

/// Clears tickets, before the first launch that takes them.
template <ExecutionSpace Exec>
void clear_tickets(const Exec& exec, const backends::Tickets& tickets) {
  Kokkos::parallel_for("heddle::ordered::no_tickets", range_policy(exec, 1),
                       backends::ClearTickets{tickets});
}

/// The state of a solve on a GPU besides the triangle: solved values, and tickets. It can be moved,
/// not copied, and so can an executor that has one: two that shared flags and tickets would wait
/// for ever.
template <ExecutionSpace Exec, Scalar V>
class GpuSolve {
 public:
  GpuSolve() = default;

  /// Allocates memory for `room` right-hand sides at once. Two allocations, in the order of `exec`;
  /// no wait.
  GpuSolve(const Exec& exec, std::int64_t places, int room)
      : solved_(exec, places, room),
        memory_(exec, "heddle::ordered::tickets", arena_bytes<std::uint32_t>(1)),
        tickets_{memory_.template take<std::uint32_t>(1).data()} {
    clear_tickets(exec, tickets_);
  }

  /// Queues the launches of one solve, launches(values, tickets), for `vectors` vectors.
  ///
  /// A launch that is refused throws, and leaves values that no solve clears and tickets that were
  /// taken; the next solve then clears all of them first. (After a failure on the device, neither
  /// the device nor the plan can be used.)
  template <class Launches>
  void run(const Exec& exec, int vectors, const Launches& launches) {
    if (unfinished_) {
      solved_.clear(exec);
      clear_tickets(exec, tickets_);
    }
    unfinished_ = true;
    launches(solved_.of(vectors), tickets_);
    unfinished_ = false;
  }

  std::size_t bytes() const { return solved_.bytes() + memory_.bytes(); }

 private:
  heddle::detail::MoveOnly moves_;
  SolvedValuesStorage<Exec, V> solved_;
  Arena<typename Exec::memory_space> memory_;
  backends::Tickets tickets_;
  bool unfinished_ = false;
};

/// Reads once all missing values of a batch of entries, all in flight together; returns whether
/// none is missing after that. Value v of entry i is at place(i, v) of the mailbox; an unwanted one
/// is any number on entry, and is not read.
template <class Mailbox, class Place, class V, int Batch, int Vectors>
KOKKOS_FORCEINLINE_FUNCTION bool look_for_all(const Mailbox& mailbox, const Place& place,
                                              V (&seen)[Batch][Vectors]) {
  HEDDLE_UNROLL(Batch)
  for (int i = 0; i < Batch; ++i) {
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) mailbox.look(place(i, v), 0, seen[i][v]);
  }
  bool missing = false;
  HEDDLE_UNROLL(Batch)
  for (int i = 0; i < Batch; ++i) {
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) missing |= !Mailbox::posted(seen[i][v]);
  }
  return !missing;
}

/// Entries of rows that a lane loads at once, with the values of x that they multiply, for Vectors
/// right-hand sides. For an unwanted entry, value and seen are zero.
template <class Operands, int Batch, int Vectors>
struct EntryBatch {
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;
  using Solved = SolvedValues<V>;

  O needed[Batch];
  S value[Batch];
  V seen[Batch][Vectors];

  /// Loads entry i from two addresses; reads nothing if it is not wanted.
  KOKKOS_FORCEINLINE_FUNCTION void load(int i, const O* needed_at, const S* value_at, bool wanted) {
    needed[i] = backends::load_once(needed_at, wanted);
    value[i] = backends::load_once(value_at, wanted);
  }
  /// Marks the values of entry i as missing, if it is wanted: those of right-hand side `first` and
  /// the next ones. Called before the first look.
  KOKKOS_FORCEINLINE_FUNCTION void want(int i, const Solved& solved, int first, bool wanted) {
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      seen[i][v] = wanted && first + v < solved.vectors ? Solved::Mailbox::not_posted() : V(0);
    }
  }
  /// Loads entries k, k + stride, ... below `end` of a triangle.
  template <class T, class Off>
  KOKKOS_FORCEINLINE_FUNCTION void load_row(const T& triangle, const Solved& solved, Off k, Off end,
                                            Off stride) {
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const Off entry = k + i * stride;
      load(i, triangle.needed + entry, triangle.values + entry, entry < end);
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) want(i, solved, 0, k + i * stride < end);
  }

  /// Reads once all missing values; returns whether none is missing after that.
  KOKKOS_FORCEINLINE_FUNCTION bool look(const Solved& solved, int set, int first = 0) {
    const auto place = [&](int i, int v) { return solved.at(needed[i], first + v); };
    return look_for_all(solved.sets[set], place, seen);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_to(Acc (&sum)[Vectors], const Operands& operands) const {
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      HEDDLE_UNROLL(Vectors)
      for (int v = 0; v < Vectors; ++v) sum[v] += operands.value(value[i]) * Acc(seen[i][v]);
    }
  }
};

}  // namespace heddle::detail::ordered
