// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "../../backends/device.hpp"
#include "../../backends/gpu/known_device.hpp"
#include "../../testing/backends.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;

TEST_CASE_TEMPLATE_DEFINE("a device describes itself", Type, describe) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const Device device = backends::describe(exec);
  CHECK_FALSE(device.name.empty());
  CHECK(device.lanes == backends::max_subwarp_width<Exec>);
  CHECK(device.has_lanes() == backends::has_lanes<Exec>);
  CHECK(device.backend == backends::Tag<Exec>::kind);
  CHECK(device.waits_make_progress == backends::waits_make_progress<Exec>);
  CHECK(device.scratch_bytes >= std::size_t{8} << 10);
  CHECK((device.most_teams_per_cluster == 0 || backends::has_clusters<Exec>));
  CHECK(device.multiprocessors >= 1);
  CHECK(device.threads_per_multiprocessor >= device.lanes);
  if (device.has_lanes()) {
    CHECK(device.threads_per_multiprocessor % device.lanes == 0);
    CHECK(device.multiprocessors * device.threads_per_multiprocessor == exec.concurrency());
    CHECK(device.cache_bytes >= std::size_t{1} << 18);
    CHECK(device.scratch_bytes >= std::size_t{32} << 10);
  } else {
    CHECK(device.multiprocessors == backends::threads_at_once(exec));
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

TEST_CASE("a GPU is asked once, however often it is described") {
  int asked = 0;
  const auto describe = [&](int number) {
    return backends::known_device(number, [&] {
      Device device;
      device.name = "GPU " + std::to_string(number);
      ++asked;
      return device;
    });
  };
  // The program has no GPU of these numbers.
  for (int call = 0; call < 3; ++call) {
    CHECK(describe(-1).name == "GPU -1");
    CHECK(describe(-2).name == "GPU -2");
  }
  CHECK(asked == 2);
}

TEST_CASE("a device's backend leads to its tag, whether this build has it or not") {
  const auto name_of = [](BackendKind kind) {
    return std::string(backends::with_tag(kind, [](auto tag) { return tag.name; }));
  };
  CHECK(name_of(BackendKind::host) == "host");
  CHECK(name_of(BackendKind::cuda) == "cuda");
  CHECK(name_of(BackendKind::hip) == "hip");
  CHECK(name_of(BackendKind::portable) == "portable");
}

}  // namespace heddle::test
