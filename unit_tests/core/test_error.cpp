// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../core/error.hpp"

using heddle::Error;
using heddle::Where;

TEST_CASE("a place is written with what is known of it") {
  CHECK(Where{}.to_string() == "");
  CHECK(Where{.row = 0}.to_string() == "row 0");
  CHECK(Where{.row = 0, .entry = 0}.to_string() == "row 0, entry 0");
  CHECK(Where{.line = 0}.to_string() == "line 0");
  CHECK(Where{.file = "a.mtx", .line = 0}.to_string() == "a.mtx:0");
  CHECK(Where{.row = 3, .entry = 17}.to_string() == "row 3, entry 17");
  CHECK(Where{.line = 12}.to_string() == "line 12");
  CHECK(Where{.file = "a.mtx"}.to_string() == "a.mtx");
  CHECK(Where{.file = "a.mtx", .line = 12}.to_string() == "a.mtx:12");
  CHECK(Where{.file = "a.mtx", .line = 12, .row = 3}.to_string() == "a.mtx:12, row 3");
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
