// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "meetings.hpp"

namespace heddle::backends {

/// The lanes of an emulated warp, taken W at a time. All lanes of the W come to every word, or the
/// launch ends with an error.
template <int Width>
struct EmulatedLanes {
  static constexpr int max_width = Width;
  static constexpr bool bounds_by_waves = Width == 64;  ///< resident_bound

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
  /// As on the device that it stands for: of the whole warp at 32, of the W at 64.
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
                   std::to_string(width) + " by " + name(word) + ", and it is not there");
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
