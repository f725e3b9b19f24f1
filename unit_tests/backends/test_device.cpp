// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <backends.hpp>
#include <cmath>
#include <heddle/backends/device.hpp>

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices>;

TEST_CASE_TEMPLATE_DEFINE("a device describes itself", Type, describe) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const Device device = backends::describe(exec);
  CHECK_FALSE(device.name.empty());
  CHECK(device.lanes == backends::max_subwarp_width<Exec>);
  CHECK(device.has_lanes() == backends::has_lanes<Exec>);
  CHECK(device.multiprocessors >= 1);
  CHECK(device.threads_per_multiprocessor >= device.lanes);
  if (device.has_lanes()) {
    CHECK(device.threads_per_multiprocessor % device.lanes == 0);
    CHECK(device.multiprocessors * device.threads_per_multiprocessor == exec.concurrency());
    CHECK(device.cache_bytes >= std::size_t{1} << 18);
    CHECK(device.scratch_bytes >= std::size_t{32} << 10);
  } else {
    CHECK(device.multiprocessors == exec.concurrency());
    CHECK(device.threads_per_multiprocessor == 1);
  }
  CHECK(backends::describe(exec).name == device.name);
}
TEST_CASE_TEMPLATE_APPLY(describe, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("copy bandwidth is measured", Type, copy_bandwidth) {
  const typename Type::Exec exec;
  const double small = backends::measured_copy_gbytes_per_second(exec, std::size_t{1} << 22, 3);
  CHECK(std::isfinite(small));
  CHECK(small > 1e-3);  // a sanitized build on a busy machine copies slowly
  CHECK(small < 1e5);
}
TEST_CASE_TEMPLATE_APPLY(copy_bandwidth, Everywhere);

}  // namespace heddle::test
