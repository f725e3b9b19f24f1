// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a word of the subwarp vocabulary in many lanes, and its reference in a plain loop.
#pragma once

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

#include "../../backends/launch.hpp"
#include "../../testing/backends.hpp"

namespace heddle::test {

template <class Exec, class T>
std::vector<T> to_host(const Exec& exec, const Kokkos::View<T*, KokkosSpace<Exec>>& view) {
  std::vector<T> values(view.size());
  Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(values.data(),
                                                                                    values.size());
  Kokkos::deep_copy(kokkos_space(exec), host, view);
  exec.fence("heddle::test::to_host");
  return values;
}

template <class Exec, class T>
Kokkos::View<T*, KokkosSpace<Exec>> to_device(const Exec& exec, const std::vector<T>& values) {
  Kokkos::View<T*, KokkosSpace<Exec>> view(
      Kokkos::view_alloc(kokkos_space(exec), Kokkos::WithoutInitializing, "heddle::test"),
      values.size());
  Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      values.data(), values.size());
  Kokkos::deep_copy(kokkos_space(exec), view, host);
  exec.fence("heddle::test::to_device");
  return view;
}

template <class T, class Exec>
Kokkos::View<T*, KokkosSpace<Exec>> zeros(const Exec& exec, std::int64_t count) {
  return to_device(exec, std::vector<T>(static_cast<std::size_t>(count)));
}

/// Calls body(std::integral_constant<int, W>) for each width of the backend: 1, 2, 4, ...
template <class Exec, int W = 1, class Body>
void for_each_width(const Body& body) {
  body(std::integral_constant<int, W>());
  if constexpr (W < backends::max_subwarp_width<Exec>) for_each_width<Exec, 2 * W>(body);
}

/// Small whole numbers, some negative and none twice in a row: their sums are exact in any order.
template <class T>
KOKKOS_FUNCTION T whole_number(int i) {
  const int number = (i * 37 + 11) % 101 - 50;
  if constexpr (requires(T value) { value.imag(); }) {
    using Real = typename T::value_type;
    return T(static_cast<Real>(number), static_cast<Real>((i * 17 + 5) % 89 - 44));
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
std::vector<T> whole_numbers(int count) {
  std::vector<T> values(count);
  for (int i = 0; i < count; ++i) values[i] = whole_number<T>(i);
  return values;
}

inline constexpr int lanes_tested = 512;

template <class T, class Result, class Word>
struct InEveryLane {
  using Scratch = backends::NoScratch;
  const T* values;
  Result* results;
  Word word;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t place = team.index() * team.threads + team.thread();
    results[place] = word(team.subwarp(), values[place]);
  }
};

/// The results of `word(subwarp, value)`, one a lane; `values` are dealt to subwarps of W lanes.
template <int W, class Exec, class T, class Word>
auto in_every_lane(const Exec& exec, const std::vector<T>& values, const Word& word) {
  using Shape = backends::Shape<W, 128>;
  using Team = backends::Team<Exec, Shape>;
  using Result = std::decay_t<decltype(word(typename Team::subwarp_type(), T()))>;
  const auto from = to_device(exec, values);
  const Kokkos::View<Result*, KokkosSpace<Exec>> to("heddle::test::results", values.size());
  backends::launch<Shape>(exec, "heddle::test::in_every_lane",
                          static_cast<std::int64_t>(values.size()) / Team::threads,
                          InEveryLane<T, Result, Word>{from.data(), to.data(), word});
  return to_host(exec, to);
}

/// Checks `word` in every lane of every width against `expect(lanes, lane)`; `lanes` are the values
/// of the lane's subwarp.
template <class T, class Exec, class Word, class Expect>
void check_word(const Exec& exec, const Word& word, const Expect& expect) {
  const std::vector<T> values = whole_numbers<T>(lanes_tested);
  for_each_width<Exec>([&](auto width) {
    constexpr int W = decltype(width)::value;
    CAPTURE(W);
    const auto results = in_every_lane<W>(exec, values, word);
    int right = 0;
    for (; right < lanes_tested; ++right) {
      const int first = right / W * W;
      const std::vector<T> lanes(values.begin() + first, values.begin() + first + W);
      if (results[right] != expect(lanes, right - first)) break;
    }
    CHECK(right == lanes_tested);
  });
}

}  // namespace heddle::test
