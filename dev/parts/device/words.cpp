// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel for each word of backends/, and nothing else in it: what the words compile to is read
// from here (perf_tests/results/NOTES-devices.md). Compiles for CUDA and HIP alike.
#include "../../../backends/clock.hpp"
#include "../../../backends/launch.hpp"
#include "../../../backends/mailbox.hpp"
#include "../../../backends/memory.hpp"

namespace heddle {

struct Lane {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const { return value + group.lane(); }
};
struct Shuffle {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.shuffle(value, group.lane() * 5 % group.width);
  }
};
struct ShuffleUp {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.shuffle_up(value, 1);
  }
};
struct ShuffleDown {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.shuffle_down(value, 1);
  }
};
struct ShuffleXor {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.shuffle_xor(value, 1);
  }
};
struct Broadcast {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.broadcast(value, 0);
  }
};
struct Sum {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const { return group.sum(value); }
};
struct SumTogether {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.sum_together(value);
  }
};
struct Max {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const { return group.max(value); }
};
struct Ballot {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return static_cast<decltype(value)>(group.ballot(value > 0));
  }
};
struct Any {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return static_cast<decltype(value)>(group.any(value > 0));
  }
};
struct InclusiveSum {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.inclusive_sum(value);
  }
};
struct ExclusiveSum {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.exclusive_sum(value);
  }
};
struct SegmentedSum {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.segmented_sum(value, value > 0);
  }
};
struct Sync {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    group.sync();
    return value;
  }
};

template <class Word, class Exec, int W, class T>
struct WordKernel {
  using Scratch = backends::NoScratch;
  T* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    T& value = values[team.thread()];
    value = Word()(team.subwarp(), value);
  }
};

struct Publish {
  KOKKOS_FUNCTION void operator()(auto* place) const { backends::publish(place, *place); }
};
struct Acquire {
  KOKKOS_FUNCTION void operator()(auto* place) const { place[1] = backends::acquire(place); }
};
struct Await {
  KOKKOS_FUNCTION void operator()(auto* place) const {
    place[1] = backends::await(place, [](auto value) { return value != 0; });
  }
};
struct Post {
  KOKKOS_FUNCTION void operator()(auto* place) const { backends::post(place, *place); }
};
struct Collect {
  KOKKOS_FUNCTION void operator()(auto* place) const {
    place[1] = backends::collect(place, [](auto value) { return value != 0; });
  }
};
struct Arrive {
  KOKKOS_FUNCTION void operator()(int* place) const { place[1] = backends::arrive(place); }
};
struct ClockTicks {
  KOKKOS_FUNCTION void operator()(auto* place) const {
    place[1] = static_cast<std::remove_reference_t<decltype(*place)>>(backends::clock_ticks());
  }
};
struct Fence {
  KOKKOS_FUNCTION void operator()(auto* place) const {
    place[0] = 1;
    backends::fence();
    place[1] = 1;
  }
};
struct Load {
  KOKKOS_FUNCTION void operator()(auto* place) const {
    place[1] = backends::load(place + 2, place[0] != 0);
  }
};
struct LoadOnce {
  KOKKOS_FUNCTION void operator()(auto* place) const {
    place[1] = backends::load_once(place + 2, place[0] != 0);
  }
};

template <class Word, class T>
struct MemoryKernel {
  using Scratch = backends::NoScratch;
  T* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    Word()(values + 2 * team.thread());
  }
};

struct BarrierKernel {
  struct Scratch {
    int value[256];
  };
  int* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    scratch.value[team.thread()] = values[team.thread()];
    team.barrier();
    values[team.thread()] = scratch.value[team.threads - 1 - team.thread()];
  }
};

struct BarrierToPublishKernel {
  using Scratch = backends::NoScratch;
  int* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    values[1 + team.thread()] = team.thread();
    team.barrier_to_publish();
    if (team.thread() == 0) backends::arrive(values);
  }
};

// Scratch sized at launch.
struct ScratchKernel {
  using Scratch = backends::DynamicScratch;
  int* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    double* const first = scratch.take<double>(1);
    int* const value = scratch.take<int>(Team::threads);
    if (team.thread() == 0) *first = 1;
    value[team.thread()] = values[team.thread()];
    team.barrier();
    values[team.thread()] = value[team.threads - 1 - team.thread()] + static_cast<int>(*first);
  }
};

// What a team of a launch in order does before its own work.
struct TicketKernel {
  using Scratch = backends::NoScratch;
  int* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    values[team.index()] = team.thread();
  }
};

struct MailboxKernel {
  using Scratch = backends::NoScratch;
  backends::Mailbox<double, 1> mailbox;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t place = team.index() * Team::threads + team.thread();
    mailbox.post(place, 0, mailbox.collect(place + 1, 0));
  }
};

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class Word, class T, int... W>
void with_widths(const Exec& exec, void* memory) {
  (backends::launch<backends::Shape<W>>(exec, "heddle::words::lanes", 1,
                                        WordKernel<Word, Exec, W, T>{static_cast<T*>(memory)}),
   ...);
}

template <class... Word>
void lanes(const Exec& exec, void* memory) {
  (with_widths<Word, double, 1, 8, backends::max_subwarp_width<Exec>>(exec, memory), ...);
  (with_widths<Word, int, 1, 8, backends::max_subwarp_width<Exec>>(exec, memory), ...);
}

template <class T, class... Word>
void memory_words(const Exec& exec, void* memory) {
  (backends::launch<backends::Shape<1>>(exec, "heddle::words::memory", 1,
                                        MemoryKernel<Word, T>{static_cast<T*>(memory)}),
   ...);
}

}  // namespace

void every_word(const Exec& exec, void* memory) {
  lanes<Lane, Shuffle, ShuffleUp, ShuffleDown, ShuffleXor, Broadcast, Sum, SumTogether, Max, Ballot,
        Any, InclusiveSum, ExclusiveSum, SegmentedSum, Sync>(exec, memory);
  memory_words<double, Publish, Acquire, Await, Post, Collect, Load, LoadOnce>(exec, memory);
  memory_words<int, Publish, Acquire, Await, Post, Collect, Arrive, ClockTicks, Fence, Load,
               LoadOnce>(exec, memory);
  backends::launch<backends::Shape<1>>(exec, "heddle::words::barrier", 1,
                                       BarrierKernel{static_cast<int*>(memory)});
  backends::launch<backends::Shape<1>>(exec, "heddle::words::scratch", 1,
                                       ScratchKernel{static_cast<int*>(memory)},
                                       backends::scratch_bytes<double, int>(1, 256));
  backends::launch_by_ticket<backends::Shape<1>>(exec, "heddle::words::ticket", 1,
                                                 TicketKernel{static_cast<int*>(memory)},
                                                 {static_cast<std::uint32_t*>(memory)});
  backends::launch<backends::Shape<1>>(exec, "heddle::words::mailbox", 1,
                                       MailboxKernel{{static_cast<double*>(memory)}});
  backends::launch<backends::Shape<1>>(exec, "heddle::words::barrier_to_publish", 1,
                                       BarrierToPublishKernel{static_cast<int*>(memory)});
  const Portable<Exec> portable(exec);
  backends::launch<backends::Shape<8>>(portable, "heddle::words::portable", 1,
                                       BarrierKernel{static_cast<int*>(memory)});
}

}  // namespace heddle
