// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <type_traits>

#include "../../core/move_only.hpp"

namespace heddle::test {
namespace {

struct Thing {
  heddle::detail::MoveOnly moves;
  void call() const { moves.check("Thing", "call"); }
};

static_assert(!std::is_copy_constructible_v<Thing> && !std::is_copy_assignable_v<Thing>);
static_assert(std::is_nothrow_move_constructible_v<Thing> &&
              std::is_nothrow_move_assignable_v<Thing>);

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

}  // namespace
}  // namespace heddle::test
