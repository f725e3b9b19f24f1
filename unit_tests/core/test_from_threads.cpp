// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../../core/files/threads.hpp"
#include "../../core/from_threads.hpp"

using heddle::detail::FromThreads;

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
