// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace heddle::backends::emulated {

class Fiber;
struct TeamState;
struct WarpState;
class Scheduler;

/// Functions at which lanes meet or wait.
enum class Word : std::uint8_t {
  none,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  shuffle_xor_together,
  ballot,
  sync,
  barrier,
  await,
  collect,
  look,
  cluster_wait,
};

constexpr const char* name(Word word) {
  constexpr std::array names{
      "none", "shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "sum_together",      "ballot",
      "sync", "barrier", "await",      "collect",      "look",        "the cluster's wait"};
  return names[static_cast<std::size_t>(word)];
}

enum class LaneState : std::uint8_t {
  ready,
  meets,    ///< waits at a function for the other lanes of its subwarp
  barrier,  ///< waits for the other threads of its team
  cluster,  ///< waits for the other threads of its cluster
  sleeps,   ///< waits until what is posted at `place` changes
  dozes,    ///< read memory again and again, and waits until anything changes
  left,
};

/// State of a thread of a team.
struct Lane {
  TeamState* team = nullptr;
  WarpState* warp = nullptr;
  Fiber* fiber = nullptr;  ///< null before it begins and after it left
  const void* place = nullptr;
  const void* counter = nullptr;  ///< the one at which it arrived last
  const Lane* woken_by = nullptr;
  std::uint64_t woken_by_team = 0;
  std::int64_t progress = 0;  ///< the scheduler's, when it last read
  int looks = 0;              ///< reads since then
  std::uint32_t at = 0;       ///< index among the lanes that are ready
  int thread = 0;
  int in_warp = 0;  ///< thread modulo the warp's width
  int from = 0;     ///< lane of its warp whose value it reads
  LaneState state = LaneState::ready;
  Word word = Word::none;
  bool arrived_in_cluster = false;
  std::uint32_t cluster_barriers = 0;  ///< its cluster's, when it arrived
  alignas(16) std::array<std::byte, 16> sent, received;
};

/// Lanes of an aligned group of 2, 4, ... lanes of a warp that wait at one of its functions.
struct Meeting {
  std::uint64_t arrived = 0;  ///< one bit a lane of the warp
  Word word = Word::none;
};

struct WarpState {
  std::uint64_t present = 0, left = 0, at_barrier = 0;
  std::uint32_t levels = 0;                ///< one bit for each log2 of a width at which lanes wait
  std::array<std::uint8_t, 7> at_level{};  ///< meetings at each level at which lanes wait
  std::uint32_t syncs = 0;
  std::array<Meeting, 64> meetings;  ///< index (64 + i) >> k: level k and lane i

  void begins(int level) {
    levels |= 1u << level;
    ++at_level[static_cast<std::size_t>(level)];
  }
  void ends(int level) {
    if (--at_level[static_cast<std::size_t>(level)] == 0) levels &= ~(1u << level);
  }

  Meeting& meeting(int lane, int level) {
    return meetings[static_cast<std::size_t>((64 + lane) >> level)];
  }
  std::uint64_t group(int lane, int level) const {
    const std::uint64_t lanes =
        level == 6 ? ~std::uint64_t{0} : (std::uint64_t{1} << (1 << level)) - 1;
    return (lanes << (lane >> level << level)) & present;
  }
};

struct ClusterState {
  int teams = 1;
  int threads = 0;
  int alive = 0;
  int arrived = 0;
  std::uint32_t barriers = 0;
  TeamState* first = nullptr;
};

/// A resident team.
struct TeamState {
  static constexpr std::size_t fence_bytes = 64;
  static constexpr std::byte fence{0xa5};

  Scheduler* scheduler = nullptr;
  ClusterState* cluster = nullptr;
  std::uint64_t serial = 0;  ///< its number among all teams that this thread ever ran
  std::int64_t place = 0;
  std::int64_t index = -1;  ///< -1 until its ticket is taken
  int warp_width = 32;
  int alive = 0;
  int at_barrier = 0;
  std::uint32_t barriers = 0;
  std::vector<Lane> lanes;
  std::vector<WarpState> warps;
  std::vector<std::byte> memory;
  std::byte* scratch = nullptr;
  std::size_t scratch_bytes = 0;

  int turn = 0;  ///< which of two teams that use the place in turn
  char turns[2] = {};

  /// Addresses by which the sanitizer orders the end of this team, and of the one before, whose
  /// scratch this one reuses. They do not order lanes of one team, nor teams at other places.
  const void* ended() const { return &turns[turn]; }
  const void* ended_before() const { return &turns[1 - turn]; }

  int threads() const { return static_cast<int>(lanes.size()); }
  Lane& lane(int thread) { return lanes[static_cast<std::size_t>(thread)]; }

  void reserve(int team_threads, int width, std::size_t bytes) {
    warp_width = width;
    alive = 0;
    lanes.resize(static_cast<std::size_t>(team_threads));
    warps.resize(static_cast<std::size_t>((team_threads + width - 1) / width));
    scratch_bytes = bytes;
    constexpr std::size_t alignment = 64;
    memory.resize(bytes + fence_bytes + alignment);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    scratch = memory.data() + (alignment - address % alignment) % alignment;
  }

  /// Begins a new team, and poisons its scratch: NaN, or -1.
  void begin(std::uint64_t number, std::int64_t at) {
    serial = number;
    turn = 1 - turn;
    place = at;
    index = -1;
    alive = threads();
    at_barrier = 0;
    barriers = 0;
    for (int t = 0; t < threads(); ++t) {
      Lane& one = lane(t);
      one.team = this;
      one.warp = &warps[static_cast<std::size_t>(t / warp_width)];
      one.in_warp = t % warp_width;
      one.fiber = nullptr;
      one.counter = nullptr;
      one.woken_by = nullptr;
      one.progress = -1;
      one.thread = t;
      one.state = LaneState::ready;
      one.word = Word::none;
      one.arrived_in_cluster = false;
    }
    for (std::size_t w = 0; w < warps.size(); ++w) {
      warps[w] = WarpState{};
      const int first = static_cast<int>(w) * warp_width;
      const int count = threads() - first < warp_width ? threads() - first : warp_width;
      warps[w].present = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    }
    std::memset(scratch, 0xff, scratch_bytes);
    std::memset(scratch + scratch_bytes, static_cast<int>(fence), fence_bytes);
  }

  bool holds(const void* place) const {
    const auto* const byte = static_cast<const std::byte*>(place);
    return byte >= scratch && byte < scratch + scratch_bytes;
  }

  /// Whether the team wrote nothing beyond its scratch.
  bool fence_stands() const {
    for (std::size_t i = 0; i < fence_bytes; ++i) {
      if (scratch[scratch_bytes + i] != fence) return false;
    }
    return true;
  }
};

enum class StartOrder { any, by_index, by_ticket };

/// A launch: units of teams that start together; a unit is one team unless there are clusters.
struct Launch {
  const char* label;
  std::int64_t units;
  int teams_per_unit;
  int team_threads;
  int subwarp_width;
  int warp_width;
  std::size_t scratch_bytes;
  int places;  ///< units that are resident together
  StartOrder order;
  std::uint32_t* next_ticket;
  void (*run)(const void* kernel, Lane& lane);
  const void* kernel;
};

}  // namespace heddle::backends::emulated
