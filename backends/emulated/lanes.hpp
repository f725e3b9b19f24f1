// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <type_traits>

#include "scheduler.hpp"

namespace heddle::backends::emulated {

/// Gives each lane of a group its result when the last lane has arrived.
inline void hand_out(TeamState& team, int warp_start, std::uint64_t group, Word word) {
  std::uint64_t votes = 0;
  if (word == Word::ballot) {
    for (std::uint64_t left = group; left; left &= left - 1) {
      const int i = std::countr_zero(left);
      if (team.lane(warp_start + i).from != 0) votes |= std::uint64_t{1} << i;
    }
    votes >>= std::countr_zero(group);
  }
  for (std::uint64_t left = group; left; left &= left - 1) {
    Lane& lane = team.lane(warp_start + std::countr_zero(left));
    if (word == Word::ballot) {
      std::memcpy(lane.received.data(), &votes, sizeof votes);
    } else {
      lane.received = team.lane(warp_start + lane.from).sent;
    }
  }
}

/// A function of an aligned group of 2^level lanes: all of them call it, or the launch fails.
inline void meet(Scheduler& scheduler, Lane& lane, int level, Word word) {
  TeamState& team = *lane.team;
  WarpState& warp = *lane.warp;
  const int in_warp = lane.in_warp, warp_start = lane.thread - in_warp;
  const std::uint64_t group = warp.group(in_warp, level);
  Meeting& meeting = warp.meeting(in_warp, level);
  if (word == Word::sync) races::release(&meeting);
  const auto wrong = [&](const char* what) {
    scheduler.fail(scheduler.who(lane) + " reaches " + name(word) + " of " +
                   std::to_string(1 << level) + " lanes, and of these " + what);
  };
  if (warp.left & group) wrong("one has left");
  if (warp.at_barrier & group) wrong("one waits at a barrier");
  for (int other = 1; warp.levels >> other != 0; ++other) {
    if (other != level && (warp.meeting(in_warp, other).arrived & group)) {
      wrong("one waits at a word of another width");
    }
  }
  if (meeting.arrived != 0 && meeting.word != word) wrong("one waits at another word");
  if (meeting.arrived == 0) meeting.word = word;
  const std::uint64_t missing = group & ~meeting.arrived & ~(std::uint64_t{1} << in_warp);
  if (missing != 0) {
    if (meeting.arrived == 0) warp.begins(level);
    meeting.arrived |= std::uint64_t{1} << in_warp;
    // Mostly a lane that is waited for runs next, which is quick; sometimes any other.
    Lane* next = nullptr;
    if (!scheduler.one_in(16)) {
      const int turn = static_cast<int>(scheduler.random() % 64);
      const int i = (std::countr_zero(std::rotr(missing, turn)) + turn) % 64;
      Lane& late = team.lane(warp_start + i);
      if (late.state == LaneState::ready) next = &late;
    }
    scheduler.wait(lane, LaneState::meets, word, next);
    if (word == Word::sync) races::acquire(&meeting);
    return;
  }
  if (word == Word::sync) races::acquire(&meeting);
  if (meeting.arrived != 0) warp.ends(level);
  meeting.arrived = 0;
  if (word == Word::sync) {
    ++warp.syncs;
  } else {
    hand_out(team, warp_start, group, word);
  }
  for (std::uint64_t left = group & ~(std::uint64_t{1} << in_warp); left; left &= left - 1) {
    scheduler.wake(team.lane(warp_start + std::countr_zero(left)));
  }
  scheduler.perhaps_give_way(lane);
}

/// Barrier of a team: all its threads call it, or the launch fails.
inline void barrier(Scheduler& scheduler, Lane& lane) {
  TeamState& team = *lane.team;
  WarpState& warp = *lane.warp;
  const int in_warp = lane.in_warp;
  const auto wrong = [&](const char* what) {
    scheduler.fail(scheduler.who(lane) + " reaches a barrier of its team, and " + what);
  };
  if (team.alive < team.threads()) wrong("a thread of the team has left");
  for (int level = 1; warp.levels >> level != 0; ++level) {
    if (warp.meeting(in_warp, level).arrived) wrong("lanes of its subwarp wait for it elsewhere");
  }
  races::release(&team.barriers);
  if (++team.at_barrier < team.threads()) {
    warp.at_barrier |= std::uint64_t{1} << in_warp;
    scheduler.wait(lane, LaneState::barrier, Word::barrier);
    races::acquire(&team.barriers);
    return;
  }
  races::acquire(&team.barriers);
  team.at_barrier = 0;
  ++team.barriers;
  for (WarpState& one : team.warps) one.at_barrier = 0;
  for (Lane& one : team.lanes) {
    if (&one != &lane) scheduler.wake(one);
  }
  scheduler.perhaps_give_way(lane);
}

}  // namespace heddle::backends::emulated

namespace heddle::backends {

/// The lanes of an emulated warp, W at a time. All W lanes call each function, or the launch ends
/// with an error.
template <int Width>
struct EmulatedLanes {
  static constexpr int max_width = Width;
  static constexpr bool bounds_by_waves = Width == 64;  ///< see resident_bound

  static int thread() { return lane_of_caller() ? lane_of_caller()->thread : 0; }
  static void barrier() {
    const emulated::races::Unwatched unwatched;
    if (emulated::Lane* const me = lane_of_caller()) emulated::barrier(*me->team->scheduler, *me);
  }
  template <int W>
  static int lane() {
    return thread() % W;
  }

  template <int W, class T>
  static T shuffle(T value, int from) {
    if (from < 0 || from >= W) absent(emulated::Word::shuffle, W, from);
    return exchange<W>(value, emulated::Word::shuffle, from);
  }
  template <int W, class T>
  static T shuffle_up(T value, int distance) {
    const int me = lane<W>();
    if (distance < 0) absent(emulated::Word::shuffle_up, W, me - distance);
    return exchange<W>(value, emulated::Word::shuffle_up, me < distance ? me : me - distance);
  }
  template <int W, class T>
  static T shuffle_down(T value, int distance) {
    const int me = lane<W>();
    if (distance < 0) absent(emulated::Word::shuffle_down, W, me + distance);
    return exchange<W>(value, emulated::Word::shuffle_down, me + distance < W ? me + distance : me);
  }
  template <int W, class T>
  static T shuffle_xor(T value, int bits) {
    if (bits < 0 || bits >= W) absent(emulated::Word::shuffle_xor, W, lane<W>() ^ bits);
    return exchange<W>(value, emulated::Word::shuffle_xor, lane<W>() ^ bits);
  }
  /// As on CUDA all lanes of the warp call it if Width is 32; as on HIP the W lanes if it is 64.
  template <int W, class T>
  static T shuffle_xor_together(T value, int bits) {
    if constexpr (Width == 64) {
      return shuffle_xor<W>(value, bits);
    } else {
      if (bits < 0 || bits >= W) absent(emulated::Word::shuffle_xor_together, W, lane<W>() ^ bits);
      return exchange<Width>(value, emulated::Word::shuffle_xor_together,
                             (thread() % Width) ^ bits);
    }
  }
  template <int W>
  static std::uint64_t ballot(bool vote) {
    const emulated::races::Unwatched unwatched;
    emulated::Lane* const me = lane_of_caller();
    if (W == 1 || !me) return vote ? 1 : 0;
    me->from = vote ? 1 : 0;
    emulated::meet(*me->team->scheduler, *me, level_of(W), emulated::Word::ballot);
    std::uint64_t votes;
    std::memcpy(&votes, me->received.data(), sizeof votes);
    return votes;
  }
  template <int W>
  static void sync() {
    const emulated::races::Unwatched unwatched;
    emulated::Lane* const me = lane_of_caller();
    if (W > 1 && me) {
      emulated::meet(*me->team->scheduler, *me, level_of(W), emulated::Word::sync);
    }
  }

 private:
  static emulated::Lane* lane_of_caller() { return emulated::current_lane; }
  static constexpr int level_of(int width) {
    int level = 0;
    while (1 << level < width) ++level;
    return level;
  }
  [[gnu::cold, gnu::noinline]] static void absent(emulated::Word word, int width, int from) {
    emulated::Lane* const me = lane_of_caller();
    if (!me) return;
    emulated::Scheduler& scheduler = *me->team->scheduler;
    scheduler.fail(scheduler.who(*me) + " asks lane " + std::to_string(from) + " of " +
                   std::to_string(width) + " by " + name(word) + ", which is not there");
  }
  /// The value of lane `from` of the W.
  template <int W, class T>
  static T exchange(T value, emulated::Word word, int from) {
    const emulated::races::Unwatched unwatched;
    static_assert(sizeof(T) <= sizeof(emulated::Lane::sent));
    emulated::Lane* const me = lane_of_caller();
    if (W == 1 || !me) return value;
    const int source = me->thread % Width / W * W + from;
    if (me->thread / Width * Width + source >= me->team->threads()) absent(word, W, from);
    me->from = source;
    std::memcpy(me->sent.data(), &value, sizeof value);
    emulated::meet(*me->team->scheduler, *me, level_of(W), word);
    std::memcpy(&value, me->received.data(), sizeof value);
    return value;
  }
};

}  // namespace heddle::backends
