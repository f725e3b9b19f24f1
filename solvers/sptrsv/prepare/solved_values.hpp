// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/mailbox.hpp"
#include "../../../core/arena.hpp"

namespace heddle::detail::sptrsv {

/// The values that rows hand to those that need them, each its own flag, as kernels see them.
///
/// There are two sets of places. A solve posts in one and empties the other, which the solve before
/// it posted in, and the last team of a solve exchanges them: on the device, so that a captured
/// solve may be replayed, and one that takes fewer vectors than the last leaves nothing behind.
template <Scalar V>
struct SolvedValues {
  using Mailbox = backends::Mailbox<V, 1>;

  /// What the teams of a solve share.
  struct State {
    std::uint32_t solves = 0;          ///< whose parity says which set is posted in
    std::int32_t ended = 0;            ///< teams of the running solve that have
    std::int32_t vectors[2] = {0, 0};  ///< that each set holds
  };

  Mailbox sets[2];
  State* state;
  std::int64_t places;
  int vectors;  ///< of this solve

  /// Which set this solve posts in. The same for all of its teams until the last has ended.
  KOKKOS_FORCEINLINE_FUNCTION int set() const {
    return static_cast<int>(backends::look(&state->solves) & 1u);
  }
  /// Vectors that the solve before posted in the other set.
  KOKKOS_FORCEINLINE_FUNCTION int vectors_to_empty(int set) const {
    return backends::look(&state->vectors[1 - set]);
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
    if (backends::arrive(&state->ended) + 1 < teams) return;
    backends::fence();
    backends::post(&state->ended, std::int32_t{0});
    backends::post(&state->vectors[set], static_cast<std::int32_t>(vectors));
    backends::post(&state->solves, backends::look(&state->solves) + 1);
  }
};

/// Item i clears the values at i in both sets, and the item behind the last the state.
template <Scalar V>
struct ClearSolvedValues {
  SolvedValues<V> values;
  std::int64_t words;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i == words) {
      *values.state = typename SolvedValues<V>::State();
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
    memory_ = Arena<Space>(exec, "heddle::sptrsv::solved",
                           arena_bytes<Word, Word, typename Values::State>(words, words, 1));
    for (Mailbox& set : sets_) set.words = memory_.template take<Word>(words).data();
    state_ = memory_.template take<typename Values::State>(1).data();
    clear(exec);
  }

  /// Nothing is posted, in either set. One launch in the order of `exec`.
  void clear(const Exec& exec) const {
    const std::int64_t words = places_ * room_;
    Kokkos::parallel_for("heddle::sptrsv::clear", range_policy(exec, words + 1),
                         ClearSolvedValues<V>{of(room_), words});
  }

  /// For a solve of `vectors` vectors.
  Values of(int vectors) const { return {{sets_[0], sets_[1]}, state_, places_, vectors}; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  std::int64_t places_ = 0;
  int room_ = 1;
  Arena<Space> memory_;
  typename Values::Mailbox sets_[2];
  typename Values::State* state_ = nullptr;
};

}  // namespace heddle::detail::sptrsv
