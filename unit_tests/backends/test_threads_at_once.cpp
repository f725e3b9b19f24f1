// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <thread>

#include "../../backends/device.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../testing/backends.hpp"
#include "../support/assumed_processors.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;

TEST_CASE_TEMPLATE_DEFINE("no more threads run at once than there are processors", Type, at_once) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const int threads = exec.concurrency();
  CHECK(backends::threads_at_once(exec) >= 1);
  CHECK(backends::threads_at_once(exec) <= threads);
  for (const int processors : {1, 2, 1000000}) {
    const AssumedProcessors assumed(processors);
    const bool counts = backends::runs_on_host<Exec>;
    const int expected = counts ? std::min(threads, processors) : threads;
    CHECK(backends::threads_at_once(exec) == expected);
    if (counts) CHECK(backends::describe(exec).multiprocessors == expected);
  }
}
TEST_CASE_TEMPLATE_APPLY(at_once, Everywhere);

TEST_CASE("the processors of a thread's affinity are counted, and asked again when it changes") {
  const AssumedProcessors counted(0);
  CHECK(backends::processors_available() >= 1);
#ifdef __linux__
#ifdef KOKKOS_ENABLE_OPENMP
  if (omp_get_proc_bind() != omp_proc_bind_false) return;  // OpenMP's places limit the count
#endif
  std::thread([] {  // a new thread, since it narrows its affinity
    cpu_set_t all, one;
    REQUIRE(sched_getaffinity(0, sizeof(all), &all) == 0);
    const int before = CPU_COUNT(&all);
    CHECK(backends::processors_available() == before);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
    CHECK(backends::processors_available() == 1);
    REQUIRE(sched_setaffinity(0, sizeof(all), &all) == 0);
    CHECK(backends::processors_available() == before);
  })
      .join();
#endif
}

}  // namespace heddle::test
