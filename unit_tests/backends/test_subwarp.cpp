// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "../../backends/equal_lanes.hpp"
#include "lanes.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;
using EveryScalar = Every<Scalars, UsualIndices, AllBackends>;
using EveryWord =
    Every<std::tuple<int, std::int64_t, double, Kokkos::complex<float>>, UsualIndices, AllBackends>;
using EverySum = Every<
    std::tuple<int, std::int64_t, float, double, Kokkos::complex<float>, Kokkos::complex<double>>,
    UsualIndices, AllBackends>;
using EveryReal = Every<std::tuple<int, std::int64_t, float, double>, UsualIndices, AllBackends>;

struct Lane {
  KOKKOS_FUNCTION int operator()(auto group, auto) const { return group.lane(); }
};
struct Width {
  KOKKOS_FUNCTION int operator()(auto group, auto) const { return group.width; }
};

TEST_CASE_TEMPLATE_DEFINE("lane and width", Type, lane) {
  const typename Type::Exec exec;
  check_word<int>(exec, Lane(), [](const auto&, int lane) { return lane; });
  check_word<int>(exec, Width(), [](const auto& lanes, int) { return int(lanes.size()); });
}
TEST_CASE_TEMPLATE_APPLY(lane, Everywhere);

// Each lane reads from another lane, in a pattern that `step` varies.
struct Shuffle {
  int step;
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.shuffle(value, (group.lane() * 5 + step) % group.width);
  }
};
struct ShuffleUp {
  int distance;
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.shuffle_up(value, distance % group.width);
  }
};
struct ShuffleDown {
  int distance;
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.shuffle_down(value, distance % group.width);
  }
};
struct ShuffleXor {
  int bits;
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.shuffle_xor(value, bits % group.width);
  }
};
struct Broadcast {
  int from;
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.broadcast(value, from % group.width);
  }
};

TEST_CASE_TEMPLATE_DEFINE("lanes read each other; shuffles up and down keep the outermost", Type,
                          shuffles) {
  using T = typename Type::Scalar;
  const typename Type::Exec exec;
  for (const int n : {0, 1, 2, 4, 7, 8, 13, 16, 21, 30, 31, 32, 63}) {
    CAPTURE(n);
    check_word<T>(exec, Shuffle{n}, [&](const auto& lanes, int lane) {
      return lanes[static_cast<std::size_t>(lane * 5 + n) % lanes.size()];
    });
    check_word<T>(exec, ShuffleUp{n}, [&](const auto& lanes, int lane) {
      const int from = lane - n % int(lanes.size());
      return lanes[from < 0 ? lane : from];
    });
    check_word<T>(exec, ShuffleDown{n}, [&](const auto& lanes, int lane) {
      const int from = lane + n % int(lanes.size());
      return lanes[from < int(lanes.size()) ? from : lane];
    });
    check_word<T>(exec, ShuffleXor{n}, [&](const auto& lanes, int lane) {
      return lanes[lane ^ (n % int(lanes.size()))];
    });
    check_word<T>(exec, Broadcast{n}, [&](const auto& lanes, int) {
      return lanes[static_cast<std::size_t>(n) % lanes.size()];
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(shuffles, EveryWord);

struct Sum {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const { return group.sum(value); }
};
struct SumTogether {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.sum_together(value);
  }
};
template <int G>
struct SumWithin {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    constexpr int size = G < group.width ? G : group.width;
    return group.template sum_within<size>(value);
  }
};
struct SumAmong {
  int lanes;
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.sum_among(lanes < group.width ? lanes : group.width, value);
  }
};
struct Max {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const { return group.max(value); }
};

template <class T>
T sum_of(const std::vector<T>& lanes, int first, int last) {
  T sum{};
  for (int i = first; i < last; ++i) sum += lanes[i];
  return sum;
}

TEST_CASE_TEMPLATE_DEFINE("every lane has the sum of all", Type, sum) {
  const typename Type::Exec exec;
  const auto all = [](const auto& lanes, int) { return sum_of(lanes, 0, int(lanes.size())); };
  check_word<typename Type::Scalar>(exec, Sum(), all);
  check_word<typename Type::Scalar>(exec, SumTogether(), all);
}
TEST_CASE_TEMPLATE_APPLY(sum, EverySum);

TEST_CASE_TEMPLATE_DEFINE("every lane has the sum of its group", Type, sum_within) {
  using T = typename Type::Scalar;
  const typename Type::Exec exec;
  const auto of_group = [](int group) {
    return [group](const auto& lanes, int lane) {
      const int size = std::min(group, int(lanes.size()));
      return sum_of(lanes, lane / size * size, (lane / size + 1) * size);
    };
  };
  check_word<T>(exec, SumWithin<1>(), of_group(1));
  check_word<T>(exec, SumWithin<4>(), of_group(4));
  check_word<T>(exec, SumWithin<16>(), of_group(16));
  check_word<T>(exec, SumWithin<64>(), of_group(64));
  for (const int group : {1, 2, 4, 16, 64}) check_word<T>(exec, SumAmong{group}, of_group(group));
}
TEST_CASE_TEMPLATE_APPLY(sum_within, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("a sum is the same bits in all lanes and all runs", Type, sum_bits) {
  using Exec = typename Type::Exec;
  using T = typename Type::Scalar;
  const Exec exec;
  std::vector<T> values(lanes_tested);
  for (int i = 0; i < lanes_tested; ++i) values[i] = T(std::sin(i + 1.0) * std::pow(10.0, i % 13));
  for_each_width<Exec>([&](auto width) {
    constexpr int W = decltype(width)::value;
    CAPTURE(W);
    const auto once = in_every_lane<W>(exec, values, Sum());
    CHECK(once == in_every_lane<W>(exec, values, Sum()));
    bool same = true;
    for (int i = 0; i < lanes_tested; ++i) same = same && once[i] == once[i / W * W];
    CHECK(same);
  });
}
TEST_CASE_TEMPLATE_APPLY(sum_bits, EveryScalar);

TEST_CASE_TEMPLATE_DEFINE("max", Type, max) {
  check_word<typename Type::Scalar>(typename Type::Exec(), Max(), [](const auto& lanes, int) {
    return *std::max_element(lanes.begin(), lanes.end());
  });
}
TEST_CASE_TEMPLATE_APPLY(max, EveryReal);

struct Ballot {
  int least;
  KOKKOS_FUNCTION std::uint64_t operator()(auto group, auto value) const {
    return group.ballot(value >= least);
  }
};
struct Any {
  int least;
  KOKKOS_FUNCTION int operator()(auto group, auto value) const { return group.any(value >= least); }
};
struct All {
  int least;
  KOKKOS_FUNCTION int operator()(auto group, auto value) const { return group.all(value >= least); }
};

TEST_CASE_TEMPLATE_DEFINE("ballot, any and all", Type, vote) {
  const typename Type::Exec exec;
  // No lanes, single lanes, half of the lanes, all but a few, all lanes.
  for (const int least : {51, 49, 0, -49, -50}) {
    CAPTURE(least);
    const auto votes = [=](int value) { return value >= least; };
    check_word<int>(exec, Ballot{least}, [&](const auto& lanes, int) {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < lanes.size(); ++i) bits |= std::uint64_t{votes(lanes[i])} << i;
      return bits;
    });
    check_word<int>(exec, Any{least}, [&](const auto& lanes, int) {
      return int{std::any_of(lanes.begin(), lanes.end(), votes)};
    });
    check_word<int>(exec, All{least}, [&](const auto& lanes, int) {
      return int{std::all_of(lanes.begin(), lanes.end(), votes)};
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(vote, Everywhere);

template <class T>
struct EqualLanes {
  T divisor;
  KOKKOS_FUNCTION std::uint64_t operator()(auto group, auto value) const {
    return backends::equal_lanes(group, static_cast<T>(static_cast<T>(value) / divisor));
  }
};

TEST_CASE_TEMPLATE_DEFINE("lanes of equal values", Type, equals) {
  const typename Type::Exec exec;
  const auto check = [&]<class T>(T) {
    // Values of their own, of some lanes, and of all.
    for (const T divisor : {T(1), T(20), T(1000)}) {
      CAPTURE(divisor);
      check_word<int>(exec, EqualLanes<T>{divisor}, [&](const auto& lanes, int lane) {
        std::uint64_t bits = 0;
        const auto of = [&](std::size_t i) { return static_cast<T>(lanes[i]) / divisor; };
        for (std::size_t i = 0; i < lanes.size(); ++i) {
          bits |= std::uint64_t{of(i) == of(static_cast<std::size_t>(lane))} << i;
        }
        return bits;
      });
    }
  };
  check(int());
  check(std::int64_t());
}
TEST_CASE_TEMPLATE_APPLY(equals, Everywhere);

/// The sum of the lanes of equal value for the first of them, and each other lane's own value.
/// Lanes of negative values take no part.
struct SumOfEqualLanes {
  int divisor;
  KOKKOS_FUNCTION int operator()(auto group, auto value) const {
    const int own = static_cast<int>(value);
    const std::uint64_t same = backends::equal_lanes(group, own < 0 ? -1 : own / divisor);
    const std::uint64_t equal = own < 0 ? 0 : same;
    const int sum = backends::sum_of_equal_lanes(group, equal, own);
    const bool first = equal != 0 && countr_zero(equal) == group.lane();
    return first ? sum : own;
  }
};

TEST_CASE_TEMPLATE_DEFINE("sums of lanes of equal values", Type, equal_sums) {
  const typename Type::Exec exec;
  for (const int divisor : {1, 7, 20, 1000}) {
    CAPTURE(divisor);
    check_word<int>(exec, SumOfEqualLanes{divisor}, [&](const auto& lanes, int lane) {
      const auto at = static_cast<std::size_t>(lane);
      const int own = lanes[at];
      int sum = 0;
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (own < 0 || lanes[i] / divisor != own / divisor) continue;
        if (i < at && lanes[i] >= 0) return own;
        if (lanes[i] >= 0) sum += lanes[i];
      }
      return own < 0 ? own : sum;
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(equal_sums, Everywhere);

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

TEST_CASE_TEMPLATE_DEFINE("prefix sums", Type, prefix_sum) {
  using T = typename Type::Scalar;
  const typename Type::Exec exec;
  check_word<T>(exec, InclusiveSum(),
                [](const auto& lanes, int lane) { return sum_of(lanes, 0, lane + 1); });
  check_word<T>(exec, ExclusiveSum(),
                [](const auto& lanes, int lane) { return sum_of(lanes, 0, lane); });
}
TEST_CASE_TEMPLATE_APPLY(prefix_sum, EveryWord);

// Lanes whose number plus `shift` is a multiple of `every` are heads of segments.
struct SegmentedSum {
  int every, shift;
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    return group.segmented_sum(value, (group.lane() + shift) % every == 0);
  }
};

// Sums of lanes whose numbers differ by multiples of four; a group of four is a head together.
struct SegmentedSumByFour {
  int every;
  KOKKOS_FUNCTION bool head(int lane) const { return lane / 4 % every == 0; }
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    constexpr int width = decltype(group)::width;
    return group.template segmented_sum<(width < 4 ? width : 4)>(value, head(group.lane()));
  }
};

TEST_CASE_TEMPLATE_DEFINE("sums begin anew at the head of a segment", Type, segmented_sum) {
  using T = typename Type::Scalar;
  const typename Type::Exec exec;
  for (const SegmentedSum word : {SegmentedSum{1, 0}, SegmentedSum{3, 0}, SegmentedSum{5, 2},
                                  SegmentedSum{17, 4}, SegmentedSum{1000, 1}}) {
    CAPTURE(word.every);
    check_word<T>(exec, word, [&](const auto& lanes, int lane) {
      int head = lane;
      while (head > 0 && (head + word.shift) % word.every != 0) --head;
      return sum_of(lanes, head, lane + 1);
    });
  }
  for (const SegmentedSumByFour word : {SegmentedSumByFour{1}, SegmentedSumByFour{3}}) {
    CAPTURE(word.every);
    check_word<T>(exec, word, [&](const auto& lanes, int lane) {
      T sum = lanes[lane];
      for (; lane >= 4 && !word.head(lane); lane -= 4) sum += lanes[lane - 4];
      return sum;
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(segmented_sum, EveryWord);

// Subwarps of one warp in different branches: odd ones sum twice as many times.
struct SumInBranches {
  KOKKOS_FUNCTION auto operator()(auto group, auto value) const {
    const bool odd = group.broadcast(value, 0) > 0;
    if (odd) {
      for (int i = 0; i < 3; ++i) value = group.sum(value) - value;
    } else if (group.width > 1) {
      value = group.shuffle_up(value, 1);
    }
    return value;
  }
};

TEST_CASE_TEMPLATE_DEFINE("subwarps may take different branches", Type, branches) {
  check_word<int>(typename Type::Exec(), SumInBranches(), [](const auto& lanes, int lane) {
    if (lanes[0] <= 0) return lanes[lane > 0 ? lane - 1 : 0];
    std::vector<int> values = lanes;
    for (int i = 0; i < 3; ++i) {
      const int total = sum_of(values, 0, int(values.size()));
      for (int& value : values) value = total - value;
    }
    return values[lane];
  });
}
TEST_CASE_TEMPLATE_APPLY(branches, Everywhere);

// Lanes pass a number from one to the next through scratch.
template <int W>
struct ThroughScratch {
  struct Scratch {
    int cell[128];
  };
  int* results;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const auto group = team.subwarp();
    int* const cell = scratch.cell + team.subwarp_index() * group.width;
    cell[group.lane()] = team.thread();
    group.sync();
    for (int turn = 0; turn < 4; ++turn) {
      const int next = cell[(group.lane() + 1) % group.width];
      group.sync();
      cell[group.lane()] = next;
      group.sync();
    }
    results[team.index() * team.threads + team.thread()] = cell[group.lane()];
  }
};

TEST_CASE_TEMPLATE_DEFINE("sync lets lanes see each other's scratch", Type, sync) {
  using Exec = typename Type::Exec;
  const Exec exec;
  for_each_width<Exec>([&](auto width) {
    constexpr int W = decltype(width)::value;
    using Shape = backends::Shape<W, 128>;
    constexpr int threads = backends::Team<Exec, Shape>::threads;
    CAPTURE(W);
    const auto results = zeros<int>(exec, 8 * threads);
    backends::launch<Shape>(exec, "heddle::test::sync", 8, ThroughScratch<W>{results.data()});
    const auto numbers = to_host(exec, results);
    bool right = true;
    for (int i = 0; i < 8 * threads; ++i) {
      const int thread = i % threads;
      right = right && numbers[i] == thread / W * W + (thread + 4) % W;
    }
    CHECK(right);
  });
}
TEST_CASE_TEMPLATE_APPLY(sync, Everywhere);

}  // namespace heddle::test
