// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inspections that run out of host memory, on any of their threads.
#include <atomic>
#include <cstdlib>
#include <new>

#include "../../../testing/vectors_check.hpp"
#include "../../support/incomplete.hpp"

namespace {

constexpr std::size_t no_bytes = std::numeric_limits<std::size_t>::max();
/// Sizes from refused_from to below refused_below are refused.
std::atomic<std::size_t> refused_from = no_bytes, refused_below = no_bytes;

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory =
      bytes >= refused_from && bytes < refused_below ? nullptr : std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Owned = OwnedMatrix<RealFactors>;

template <class Plan>
void needs_memory(const Owned& a, const IluOptions& options, std::size_t from, std::size_t below) {
  CAPTURE(from);
  CAPTURE(below);
  const Exec exec;
  bool told = false;
  refused_from = from;
  refused_below = below;
  try {
    const Plan plan(exec, a.matrix(), options);
  } catch (const OutOfMemory&) {
    told = true;
  }
  refused_from = no_bytes;
  CHECK(told);
  CHECK_NOTHROW(Plan(exec, a.matrix(), options));
}

}  // namespace

TEST_CASE("an inspection without memory is OutOfMemory, whichever thread finds none") {
  if (heddle::backends::has_lanes<Exec>) return;  // inspections have no host arrays
  constexpr std::size_t n = 5000;
  const Owned a(ascending(random_rows<double>(n, 3, true, 1)));
  const auto check = [&](const IluOptions& options, std::size_t from, std::size_t below) {
    needs_memory<RealLu::Plan>(a, options, from, below);
    needs_memory<RealCholesky::Plan>(a, options, from, below);
  };
  check({.fill_level = 1}, n * 4, n * 4 + 1);  // the marks of a thread
  check({.fill_level = 1}, n * 8, n * 8 + 1);  // the counts of all threads
  check({}, n * 4, no_bytes);                  // a thread's list of updates
}

}  // namespace heddle::test
