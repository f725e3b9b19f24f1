// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <new>
#include <utility>
#include <vector>

#include "../../core/version.hpp"

namespace heddle::test {

namespace {

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

}  // namespace heddle::test
