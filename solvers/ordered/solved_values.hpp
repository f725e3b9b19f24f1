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

/// Whose turn it is of two sets that solves use in turns, and which teams of the running solve have
/// ended. The last of them passes the turn on: on the device, so that a captured solve may be
/// replayed.
struct Turn {
  struct State {
    std::uint32_t solves = 0;  ///< whose parity is the set of the solve
    std::int32_t ended = 0;    ///< teams of the running solve that have
  };

  State* state;

  /// The set of this solve. The same for all of its teams until the last has ended.
  KOKKOS_FORCEINLINE_FUNCTION int set() const {
    return static_cast<int>(backends::look(&state->solves) & 1u);
  }
  /// By one thread of each of `teams` teams, after all that it does: whether it is the last, which
  /// then passes the turn on.
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

/// The values that rows hand to those that need them, each its own flag, as kernels see them.
///
/// There are two sets of places, used in turns: a solve posts in one and empties the other, which
/// the solve before it posted in; one that takes fewer vectors than the last leaves nothing behind.
template <Scalar V>
struct SolvedValues {
  using Mailbox = backends::Mailbox<V, 1>;

  Mailbox sets[2];
  std::int32_t* held;  ///< vectors that each set holds
  Turn turn;
  std::int64_t places;
  int vectors;  ///< of this solve

  /// Which set this solve posts in.
  KOKKOS_FORCEINLINE_FUNCTION int set() const { return turn.set(); }
  /// Vectors that the solve before posted in the other set.
  KOKKOS_FORCEINLINE_FUNCTION int vectors_to_empty(int set) const {
    return backends::look(&held[1 - set]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t at(std::int64_t place, int vector) const {
    return vector * places + place;
  }
  /// Empties a place that the solve before this one left full. By one thread, before its row posts.
  KOKKOS_FORCEINLINE_FUNCTION void empty(int set, std::int64_t place) const {
    const int full = vectors_to_empty(set);
    for (int v = 0; v < full; ++v) sets[1 - set].clear(at(place, v));
  }
  /// By one thread of each team, after all that it does; the last of `teams` exchanges the sets.
  KOKKOS_FORCEINLINE_FUNCTION void end(int set, std::int64_t teams) const {
    if (!turn.ends(teams)) return;
    backends::post(&held[set], static_cast<std::int32_t>(vectors));
    turn.pass();
  }
};

/// Item i clears the values at i in both sets, and the item behind the last whose turn it is.
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

  /// Nothing is posted, in either set. One launch in the order of `exec`.
  void clear(const Exec& exec) const {
    const std::int64_t words = places_ * room_;
    Kokkos::parallel_for("heddle::ordered::clear", range_policy(exec, words + 1),
                         ClearSolvedValues<V>{of(room_), words});
  }

  /// For a solve of `vectors` vectors.
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

/// Before the first launch that takes them.
template <ExecutionSpace Exec>
void clear_tickets(const Exec& exec, const backends::Tickets& tickets) {
  Kokkos::parallel_for("heddle::ordered::no_tickets", range_policy(exec, 1),
                       backends::ClearTickets{tickets});
}

/// What a solve on a GPU needs beside the triangle: solved values, and tickets. Moves, does not
/// copy, and so does each executor that has one: two that shared flags and tickets would wait for
/// ever.
template <ExecutionSpace Exec, Scalar V>
class GpuSolve {
 public:
  GpuSolve() = default;

  /// Room for `room` right-hand sides at once. Two allocations, in the order of `exec`; no wait.
  GpuSolve(const Exec& exec, std::int64_t places, int room)
      : solved_(exec, places, room),
        memory_(exec, "heddle::ordered::tickets", arena_bytes<std::uint32_t>(1)),
        tickets_{memory_.template take<std::uint32_t>(1).data()} {
    clear_tickets(exec, tickets_);
  }

  /// Queues the launches of one solve, launches(values, tickets), for `vectors` vectors.
  ///
  /// A launch that is refused throws, and leaves values that nobody will empty, and tickets that
  /// were taken; then the next solve clears all of them first. (One that fails on the device ends
  /// the program's use of it, and with it the plan's.)
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

/// Looks once for all values of a batch of entries that are not there yet, all in flight together;
/// whether none is missing now. Value v of entry i lies at place(i, v) of the mailbox; one that is
/// not wanted begins as any number, and is not looked for.
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

/// Entries of rows that a lane takes at once, with the values that they are multiplied by, of
/// Vectors right-hand sides. Of an entry that is not wanted, value and seen are zero.
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

  /// The entry at `slot` of two arrays. Nothing is read of one that is not wanted.
  KOKKOS_FORCEINLINE_FUNCTION void load(int i, const O* needed_at, const S* value_at, bool wanted) {
    needed[i] = backends::load_once(needed_at, wanted);
    value[i] = backends::load_once(value_at, wanted);
  }
  /// Before the first look at an entry: of right-hand side `first` and those after it.
  KOKKOS_FORCEINLINE_FUNCTION void want(int i, const Solved& solved, int first, bool wanted) {
    HEDDLE_UNROLL(Vectors)
    for (int v = 0; v < Vectors; ++v) {
      seen[i][v] = wanted && first + v < solved.vectors ? Solved::Mailbox::not_posted() : V(0);
    }
  }
  /// Entries k, k + stride, ... below end of a triangle.
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

  /// Looks once for all values that are not there yet; whether none is missing now.
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
