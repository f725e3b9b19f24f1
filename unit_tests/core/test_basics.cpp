// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, errors, objects that were moved from, and versions: every other part is made with these.
#include <doctest/doctest.h>

#include <bit>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/threads.hpp"
#include "../../core/from_threads.hpp"
#include "../../core/move_only.hpp"
#include "../../core/types.hpp"
#include "../../core/version.hpp"

using heddle::Error;
using heddle::HasVersion;
using heddle::Op;
using heddle::Version;
using heddle::VersionNumber;
using heddle::Where;
using heddle::detail::FromThreads;

static_assert(heddle::Scalar<float> && heddle::Scalar<double>);
static_assert(heddle::Scalar<Kokkos::complex<float>> && heddle::Scalar<Kokkos::complex<double>>);
static_assert(!heddle::Scalar<int> && !heddle::Scalar<long double> && !heddle::Scalar<const float>);

static_assert(heddle::Ordinal<std::int32_t> && heddle::Ordinal<std::int64_t>);
static_assert(!heddle::Ordinal<std::uint32_t> && !heddle::Ordinal<short>);
static_assert(!heddle::Ordinal<float> && !heddle::Ordinal<bool>);

static_assert(heddle::Offset<std::int32_t> && heddle::Offset<std::int64_t>);
static_assert(heddle::Offset<std::size_t> && heddle::Offset<std::uint32_t>);
static_assert(!heddle::Offset<short> && !heddle::Offset<bool> && !heddle::Offset<double>);

static_assert(heddle::ExecutionSpace<Kokkos::DefaultExecutionSpace>);
static_assert(!heddle::ExecutionSpace<Kokkos::HostSpace> && !heddle::ExecutionSpace<int>);
static_assert(heddle::MemorySpace<Kokkos::HostSpace>);
static_assert(!heddle::MemorySpace<Kokkos::DefaultHostExecutionSpace>);

static_assert(heddle::VectorView<Kokkos::View<double*>>);
static_assert(heddle::VectorView<Kokkos::View<const double**, Kokkos::LayoutStride>>);
static_assert(!heddle::VectorView<Kokkos::View<double***>> && !heddle::VectorView<double*>);
static_assert(!heddle::VectorView<Kokkos::View<double>>);
static_assert(heddle::WritableVectorView<Kokkos::View<float**, Kokkos::LayoutRight>>);
static_assert(!heddle::WritableVectorView<Kokkos::View<const float*>>);

static_assert(heddle::is_complex<Kokkos::complex<float>> && !heddle::is_complex<float>);

TEST_CASE("an op says whether it transposes and conjugates") {
  const struct {
    Op op;
    bool transposes, conjugates;
    const char* name;
  } ops[] = {{Op::none, false, false, "none"},
             {Op::transpose, true, false, "transpose"},
             {Op::conjugate, false, true, "conjugate"},
             {Op::conjugate_transpose, true, true, "conjugate-transpose"}};
  for (const auto& [op, transposes, conjugates, name] : ops) {
    CHECK(heddle::transposes(op) == transposes);
    CHECK(heddle::conjugates(op) == conjugates);
    CHECK(heddle::name(op) == std::string(name));
  }
}

TEST_CASE("conjugation turns the imaginary part around and leaves real numbers alone") {
  CHECK(heddle::conjugate(2.5) == 2.5);
  CHECK(heddle::conjugate(-1.0f) == -1.0f);
  const auto turned = heddle::conjugate(Kokkos::complex<float>(1, 2));
  CHECK(turned.real() == 1);
  CHECK(turned.imag() == -2);
}

TEST_CASE("ceil_div rounds up") {
  static_assert(heddle::ceil_div(0, 4) == 0);
  static_assert(heddle::ceil_div(1, 4) == 1);
  static_assert(heddle::ceil_div(8, 4) == 2);
  static_assert(heddle::ceil_div(std::int64_t{1} << 40, 3) == 366503875926);
  static_assert(std::is_same_v<decltype(heddle::ceil_div(1, std::size_t{2})), std::size_t>);
  CHECK(heddle::ceil_div(9, 4) == 3);
}

TEST_CASE("ones are counted, and the zeros below the lowest") {
  const auto check = [](auto x) {
    CAPTURE(x);
    CHECK(heddle::popcount(x) == std::popcount(x));
    CHECK(heddle::countr_zero(x) == std::countr_zero(x));
  };
  for (const std::uint64_t x : {0x0u, 0x1u, 0x80000000u, 0xf0f0u, 0xffffffffu}) {
    check(static_cast<std::uint32_t>(x));
    check(x);
    check(x << 32);
  }
}

TEST_CASE("a place is written with what is known of it") {
  const std::pair<Where, const char*> places[] = {
      {{}, ""},
      {{.row = 0}, "row 0"},
      {{.row = 3, .entry = 17}, "row 3, entry 17"},
      {{.row = 0, .entry = 0}, "row 0, entry 0"},
      {{.line = 0}, "line 0"},
      {{.file = "a.mtx"}, "a.mtx"},
      {{.file = "a.mtx", .line = 0}, "a.mtx:0"},
      {{.file = "a.mtx", .line = 12, .row = 3}, "a.mtx:12, row 3"},
  };
  for (const auto& [place, text] : places) CHECK(place.to_string() == text);
}

TEST_CASE("an error says what, where, and what to do") {
  const Error error("column 9 of 8", Where{.file = "a.mtx", .line = 5}, "columns end at 8");
  CHECK(error.what() == std::string("heddle: a.mtx:5: column 9 of 8; columns end at 8"));
  CHECK(error.problem() == "column 9 of 8");
  CHECK(error.where().line == 5);
  CHECK(error.remedy() == "columns end at 8");
}

TEST_CASE("place and remedy may be unknown") {
  CHECK(Error("lost", "look again").what() == std::string("heddle: lost; look again"));
  CHECK(Error("lost", "").what() == std::string("heddle: lost"));
  CHECK(Error("lost", "").where().row == -1);
}

TEST_CASE("an error is caught as what it is and as a runtime_error, and can be copied") {
  const auto raise = [] { throw Error("no", Where{.row = 2}, "yes"); };
  CHECK_THROWS_AS(raise(), Error);
  CHECK_THROWS_AS(raise(), std::runtime_error);
  CHECK_THROWS_WITH(raise(), "heddle: row 2: no; yes");
  const Error one("a", "b");
  const Error two = one;
  CHECK(two.what() == std::string(one.what()));
}

namespace {

/// Runs body(i) for i < 8, each on a thread of its own.
template <class Body>
void run(FromThreads& thrown, const Body& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&thrown, &body, i] { thrown.run(i, [&] { body(i); }); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("threads that throw nothing") {
  FromThreads thrown;
  run(thrown, [](int) {});
  CHECK_NOTHROW(thrown.rethrow());
  CHECK_NOTHROW(thrown.rethrow("heddle::test::quiet"));
  CHECK(thrown.run(0, [] {}));
}

TEST_CASE("of several exceptions the lowest index's comes out") {
  FromThreads thrown;
  run(thrown, [](int i) {
    if (i >= 3) throw std::runtime_error(std::to_string(i));
  });
  CHECK_THROWS_WITH_AS(thrown.rethrow(), "3", std::runtime_error);
  CHECK_THROWS_WITH_AS(thrown.rethrow("heddle::test::third"), "3", std::runtime_error);
  CHECK_FALSE(thrown.run(9, [] { throw 9; }));
  CHECK_THROWS_WITH(thrown.rethrow(), "3");
}

TEST_CASE("what lacks memory is OutOfMemory, and says where") {
  FromThreads thrown;
  run(thrown, [](int) { throw std::bad_alloc(); });
  CHECK_THROWS_AS(thrown.rethrow(), std::bad_alloc);
  CHECK_THROWS_WITH_AS(thrown.rethrow("heddle::test::lists"),
                       "heddle: the host lacks memory for heddle::test::lists; free some",
                       heddle::OutOfMemory);
}

TEST_CASE("work on threads ends with the first exception, of the lowest index") {
  for (const int threads : {1, 4}) {
    CHECK_THROWS_WITH(heddle::files::for_each_index(threads, 1000,
                                                    [](std::size_t i) {
                                                      if (i >= 7)
                                                        throw std::runtime_error(std::to_string(i));
                                                    }),
                      "7");
  }
}

namespace {

struct Thing {
  heddle::detail::MoveOnly moves;
  void call() const { moves.check("Thing", "call"); }
};

static_assert(!std::is_copy_constructible_v<Thing> && !std::is_copy_assignable_v<Thing>);
static_assert(std::is_nothrow_move_constructible_v<Thing> &&
              std::is_nothrow_move_assignable_v<Thing>);

struct Part {
  Version version_;
  VersionNumber version() const { return version_.number(); }
};
struct MadeUp {
  static std::uint64_t version() { return 0; }
};
struct Silent {};
static_assert(HasVersion<Part>);
static_assert(!HasVersion<MadeUp> && !HasVersion<Silent>);
static_assert(!std::is_constructible_v<VersionNumber, std::uint64_t>);
static_assert(!std::is_default_constructible_v<VersionNumber>);

/// All numbers must be different.
void check_different(const std::vector<VersionNumber>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(numbers[i] != numbers[j]);
  }
}

}  // namespace

TEST_CASE("an object that was moved from says so, until another is assigned to it") {
  Thing first;
  CHECK_NOTHROW(first.call());
  Thing second = std::move(first);
  CHECK_NOTHROW(second.call());
  CHECK_THROWS_WITH_AS(first.call(), doctest::Contains("Thing::call was called on an object that"),
                       Error);
  first = Thing();
  CHECK_NOTHROW(first.call());
  second = std::move(first);
  CHECK_NOTHROW(second.call());
  CHECK_THROWS_AS(first.call(), Error);
  // An object that was moved from can be moved on, and stays empty.
  second = std::move(first);
  CHECK_THROWS_AS(second.call(), Error);
  Thing& self = second = Thing();
  self = std::move(second);
  CHECK_NOTHROW(second.call());
}

TEST_CASE("no two objects have the same version, not even one after the other in one place") {
  Part one, other;
  alignas(Part) std::byte place[sizeof(Part)];
  const VersionNumber first = (new (place) Part)->version();
  const VersionNumber second = (new (place) Part)->version();
  check_different({one.version(), other.version(), first, second});
  CHECK(one.version() == one.version());
}

TEST_CASE("a version is new after a change, a copy, and on both sides of a move") {
  Part part;
  std::vector<VersionNumber> numbers{part.version()};
  part.version_.renew();
  numbers.push_back(part.version());
  Part copy = part;
  CHECK(part.version() == numbers.back());
  numbers.push_back(copy.version());
  Part moved = std::move(part);
  numbers.push_back(moved.version());
  numbers.push_back(part.version());
  copy = moved;
  CHECK(moved.version() == numbers[3]);
  numbers.push_back(copy.version());
  copy = std::move(moved);
  numbers.push_back(copy.version());
  numbers.push_back(moved.version());
  check_different(numbers);
}

TEST_CASE("the version of what applies other parts is new when one of theirs is") {
  Part a, b;
  const heddle::detail::VersionOverParts<2> over, another;
  const auto ask = [&](const auto& whose) { return whose.number({a.version(), b.version()}); };
  const VersionNumber first = ask(over);
  CHECK(ask(over) == first);
  a.version_.renew();
  const VersionNumber second = ask(over);
  b.version_.renew();
  const VersionNumber third = ask(over);
  CHECK(ask(over) == third);
  check_different({first, second, third, ask(another), a.version(), b.version()});
}
