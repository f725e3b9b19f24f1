// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../core/arena.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/events.hpp"
#include "../../testing/random.hpp"
#include "../support/no_memory.hpp"

namespace test = heddle::test;
using heddle::Arena;

namespace {

using Doubles = std::tuple<double>;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class A, class B>
std::ptrdiff_t bytes_between(const A& first, const B& later) {
  return reinterpret_cast<const char*>(later.data()) - reinterpret_cast<const char*>(first.data());
}

}  // namespace

TEST_CASE("sizes are padded to the alignment") {
  CHECK(heddle::arena_padded_bytes(0) == 0);
  CHECK(heddle::arena_padded_bytes(1) == heddle::arena_alignment_bytes);
  CHECK(heddle::arena_padded_bytes(256) == 256);
  CHECK(heddle::arena_padded_bytes(257) == 512);
  CHECK(heddle::arena_bytes<>() == 0);
  CHECK(heddle::arena_bytes<char, double>(3, 33) == 256 + 512);
  static_assert(heddle::arena_bytes<int>(64) == 256);
}

TEST_CASE_TEMPLATE_DEFINE("arrays are aligned, in order, and do not overlap", T, arrays) {
  using Space = typename T::Space;
  const typename T::Exec exec;
  const std::size_t bytes = heddle::arena_bytes<char, double, std::int32_t, double>(3, 100, 65, 0);
  Arena<Space> arena(exec, "heddle::test::arena", bytes);
  exec.fence();
  CHECK(arena.bytes() == bytes);
  const auto a = arena.template take<char>(3);
  const auto b = arena.template take<double>(100);
  const auto c = arena.template take<std::int32_t>(65);
  const auto d = arena.template take<double>(0);
  constexpr std::uintptr_t cache_line_bytes = 64;  // Kokkos aligns blocks to this or more
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % cache_line_bytes == 0);
  CHECK(bytes_between(a, b) == 256);
  CHECK(bytes_between(b, c) == 1024);
  CHECK(a.size() == 3);
  CHECK(b.size() == 100);
  CHECK(c.size() == 65);
  CHECK(d.size() == 0);
  CHECK_THROWS_AS((void)arena.template take<char>(1), heddle::Error);
  CHECK_NOTHROW((void)arena.template take<double>(0));

  char* first = nullptr;
  typename Arena<Space>::template Array<double> second;
  std::int32_t* third = nullptr;
  Arena<Space> made(exec, "heddle::test::arena", heddle::arena_array(first, 3),
                    heddle::arena_array(second, 100), heddle::arena_array(third, 65));
  exec.fence();
  CHECK(made.bytes() == bytes);
  CHECK(second.size() == 100);
  CHECK(reinterpret_cast<char*>(second.data()) - first == 256);
  CHECK(reinterpret_cast<char*>(third) - reinterpret_cast<char*>(second.data()) == 1024);
  CHECK_THROWS_AS((void)made.template take<char>(1), heddle::Error);
}
TEST_CASE_TEMPLATE_APPLY(arrays, test::Every<Doubles, test::UsualIndices>);

TEST_CASE_TEMPLATE_DEFINE("the last handle waits before its memory goes", T, last_handle) {
  using Space = typename T::Space;
  const typename T::Exec exec;
  const test::Recording recording;
  const auto fence_and_release = [&] {
    std::vector<std::string> labels;
    for (const test::Event& event : test::Recording::seen()) {
      const bool fence = event.kind == test::Event::fence && event.label.starts_with("heddle");
      if (fence || event.kind == test::Event::release) labels.push_back(event.label);
    }
    return labels;
  };
  {
    Arena<Space> second;
    {
      const Arena<Space> first(exec, "heddle::test::arena", 100);
      second = first;
    }
    CHECK(fence_and_release().empty());
    const Arena<Space> third = std::move(second);
    second = {};
    CHECK(fence_and_release().empty());
  }
  const auto labels = fence_and_release();
  REQUIRE(labels.size() == 2);
  CHECK(labels[0] == "heddle::arena::release");
  CHECK(labels[1] == "heddle::test::arena");
}
TEST_CASE_TEMPLATE_APPLY(last_handle, test::Every<Doubles, test::UsualIndices>);

TEST_CASE("an arena that is empty or too small says so") {
  const Host host;
  Arena<Kokkos::HostSpace> none;
  CHECK(none.bytes() == 0);
  CHECK(none.take<int>(0).size() == 0);
  CHECK_THROWS_AS((void)none.take<int>(1), heddle::Error);
  Arena<Kokkos::HostSpace> small(host, "heddle::test::small", heddle::arena_bytes<int>(10));
  CHECK_THROWS_AS((void)small.take<int>(65), heddle::Error);
  CHECK(small.take<int>(64).size() == 64);  // padding may be used
}

TEST_CASE_TEMPLATE_DEFINE("an arena that finds no memory names its bytes and its label", T, none) {
  const typename T::Exec exec;
  std::string message;
  try {
    Arena<typename T::Space>(exec, "heddle::test::everything", test::more_bytes_than_any);
  } catch (const heddle::OutOfMemory& error) {
    message = error.what();
  }
  const auto bytes = test::more_bytes_than_any + heddle::arena_alignment_bytes;
  for (const std::string& part : {std::to_string(bytes), std::string(T::Space::name()),
                                  std::string("heddle::test::everything")}) {
    CHECK_MESSAGE(message.find(part) != std::string::npos, message);
  }
  // The next arena finds memory.
  CHECK_NOTHROW(Arena<typename T::Space>(exec, "heddle::test::little", 1000));
}
TEST_CASE_TEMPLATE_APPLY(none, test::Every<Doubles, test::UsualIndices>);

TEST_CASE("copies of an arena share the memory, which lives as long as one of them") {
  const Host host;
  Arena<Kokkos::HostSpace>::Array<int> array;
  Arena<Kokkos::HostSpace> keeper;
  {
    Arena<Kokkos::HostSpace> arena(host, "heddle::test::shared", heddle::arena_bytes<int>(4));
    host.fence();
    array = arena.take<int>(4);
    array(2) = 7;
    keeper = arena;
  }
  CHECK(array(2) == 7);
  CHECK(keeper.bytes() == 256);
}

TEST_CASE_TEMPLATE_DEFINE("the content moves to a device and back in one copy", T, moves) {
  const Host host;
  using Space = typename T::Space;
  const typename T::Exec exec;
  Arena<Kokkos::HostSpace> here(host, "heddle::test::moves",
                                heddle::arena_bytes<std::int64_t, float>(1000, 500));
  host.fence();
  const auto numbers = here.take<std::int64_t>(1000);
  const auto fractions = here.take<float>(500);
  test::Random random(5);
  for (std::size_t i = 0; i < 1000; ++i) numbers(i) = random.below(1 << 30);
  for (std::size_t i = 0; i < 500; ++i) fractions(i) = random.scalar<float>();

  auto there = here.template copy_to<Space>(exec);
  exec.fence();
  CHECK(there.bytes() == here.bytes());
  const auto numbers_there = there.template take<std::int64_t>(1000);
  CHECK(static_cast<const void*>(numbers_there.data()) != numbers.data());
  auto back = there.template copy_to<Kokkos::HostSpace>(host);
  host.fence();
  const auto numbers_back = back.template take<std::int64_t>(1000);
  const auto fractions_back = back.template take<float>(500);
  bool same = true;
  for (std::size_t i = 0; i < 1000; ++i) same = same && numbers_back(i) == numbers(i);
  for (std::size_t i = 0; i < 500; ++i) same = same && fractions_back(i) == fractions(i);
  CHECK(same);
}
TEST_CASE_TEMPLATE_APPLY(moves, test::Every<Doubles, test::UsualIndices>);
