// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <string>

#include "../../backends/measure.hpp"
#include "../../core/tuning_cache.hpp"
#include "../support/temporary.hpp"

using files_test::TemporaryFile;
using heddle::detail::TuningCache;

TEST_CASE("what is added is found, the last of a key, and others are not disturbed") {
  const TemporaryFile place(".cache");
  const TuningCache cache(place.path());
  CHECK_FALSE(cache.find("a"));
  CHECK(cache.add("a", {"csr/merge", 1e-5}) == "");
  CHECK(cache.add("b", {"ell", 2e-5}) == "");
  CHECK(cache.add("a", {"dia", 3e-6}) == "");
  REQUIRE(cache.find("a"));
  CHECK(cache.find("a")->scheme == "dia");
  CHECK(cache.find("a")->seconds == doctest::Approx(3e-6));
  CHECK(cache.find("b")->scheme == "ell");
  CHECK_FALSE(cache.find(""));
  CHECK_FALSE(cache.find("a b"));
}

TEST_CASE("a file that was cut at any byte gives what is whole, and can be added to") {
  const TemporaryFile place(".cache");
  const TuningCache cache(place.path());
  REQUIRE(cache.add("first", {"csr/merge", 1e-5}) == "");
  const std::string one = place.content();
  REQUIRE(cache.add("second", {"ell", 2e-5}) == "");
  const std::string two = place.content();
  for (std::size_t size = 0; size <= two.size(); ++size) {
    CAPTURE(size);
    place.write(two.substr(0, size));
    CHECK(cache.find("first").has_value() == (size >= one.size()));
    CHECK(cache.find("second").has_value() == (size == two.size()));
    CHECK(cache.add("third", {"dia", 3e-5}) == "");
    REQUIRE(cache.find("third"));
    CHECK(cache.find("third")->scheme == "dia");
    CHECK(cache.find("first").has_value() == (size >= one.size()));
  }
}

TEST_CASE("a line with a changed byte is passed over") {
  const TemporaryFile place(".cache");
  const TuningCache cache(place.path());
  REQUIRE(cache.add("key", {"csr/merge", 1e-5}) == "");
  const std::string whole = place.content();
  for (std::size_t at = 0; at + 1 < whole.size(); ++at) {
    CAPTURE(at);
    std::string changed = whole;
    changed[at] = changed[at] == 'x' ? 'y' : 'x';
    place.write(changed);
    CHECK_FALSE(cache.find("key"));
  }
}

TEST_CASE("a file that is no tuning cache is neither read nor written") {
  const TemporaryFile place(".cache");
  const TuningCache cache(place.path());
  for (const std::string text :
       {"%%MatrixMarket matrix coordinate\n", "\n", "heddle-cache-2\tx\n"}) {
    place.write(text);
    CHECK_FALSE(cache.find("key"));
    CHECK(cache.add("key", {"ell", 1e-5}) == "it is no tuning cache");
    CHECK(place.content() == text);
  }
}

TEST_CASE("what cannot be written is said, and nothing throws") {
  const TuningCache nowhere("/no/such/folder/cache");
  CHECK_FALSE(nowhere.find("key"));
  CHECK(nowhere.add("key", {"ell", 1e-5}) != "");
  const TuningCache full("/dev/full");
  CHECK(full.add("key", {"ell", 1e-5}) != "");
}

TEST_CASE("of writers that are killed no whole entry is lost, nor one of another made up") {
  const TemporaryFile place(".cache");
  constexpr int writers = 4, rounds = 8;
  int added = 0;
  const TuningCache mine(place.path());
  for (int round = 0; round < rounds; ++round) {
    pid_t children[writers];
    for (int w = 0; w < writers; ++w) {
      children[w] = ::fork();
      REQUIRE(children[w] >= 0);
      if (children[w] == 0) {
        const TuningCache cache(place.path());
        for (int i = 0;; ++i) {
          cache.add("writer " + std::to_string(w) + " round " + std::to_string(i),
                    {"ell/w=" + std::to_string(w), 1e-6 * (i + 1)});
        }
      }
    }
    for (int i = 0; i < 16; ++i) {
      const std::string key = "mine " + std::to_string(added++);
      REQUIRE(mine.add(key, {"csr/merge", 1e-5}) == "");
    }
    for (const pid_t child : children) ::kill(child, SIGKILL);
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  }
  for (int i = 0; i < added; ++i) {
    const auto entry = mine.find("mine " + std::to_string(i));
    REQUIRE(entry);
    CHECK(entry->scheme == "csr/merge");
  }
  for (int w = 0; w < writers; ++w) {
    const auto entry = mine.find("writer " + std::to_string(w) + " round 0");
    if (entry) CHECK(entry->scheme == "ell/w=" + std::to_string(w));
  }
}

TEST_CASE("measuring that would never end is refused") {
  CHECK_THROWS_WITH_AS(heddle::detail::Fastest<int>(std::numeric_limits<double>::infinity()),
                       doctest::Contains("options.measure_seconds is infinite"), heddle::Error);
}
