// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device: its description, threads that run at once, memory speed, wavefronts and streams.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <thread>

#include "../../backends/device.hpp"
#include "../../backends/gpu/known_device.hpp"
#include "../../backends/hip/wavefront.hpp"
#include "../../backends/lanes.hpp"
#include "../../backends/memory_speed.hpp"
#include "../../backends/stream.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../formats/common/prediction.hpp"
#include "../../testing/backends.hpp"
#include "../support/assumed_processors.hpp"

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

namespace {

double rate(const char* name, int multiprocessors, double clock_khz = 0, double bus_bits = 0) {
  Device device;
  device.name = name;
  device.backend = BackendKind::cuda;
  device.lanes = 32;
  device.multiprocessors = multiprocessors;
  device.bytes_per_second = backends::copy_bytes_per_second(name, clock_khz, bus_bits);
  return estimated_bytes_per_second(device);
}

}  // namespace

TEST_CASE("memory speed: an H200 is what choices were judged with, others go by their memory") {
  const double h200 = 132 * 31.7e9;
  const struct {
    const char* name;
    int multiprocessors;
    double terabytes;
  } known[] = {{"NVIDIA H200", 132, 4.8},         {"NVIDIA H100 PCIe", 114, 2.0},
               {"NVIDIA H100 NVL", 132, 3.9},     {"NVIDIA A100-SXM4-80GB", 108, 2.04},
               {"NVIDIA L40S", 142, 0.864},       {"NVIDIA A100-SXM4-40GB", 108, 1.555},
               {"NVIDIA GH200 480GB", 132, 4.0},  {"Tesla V100-SXM2-32GB", 80, 0.9},
               {"AMD Instinct MI300X", 304, 5.3}, {"AMD Instinct MI250X", 110, 1.6}};
  for (const auto& [name, multiprocessors, terabytes] : known) {
    CAPTURE(name);
    CHECK(h200 / rate(name, multiprocessors) == doctest::Approx(4.8 / terabytes));
  }
  CHECK(h200 / rate("NVIDIA H100 80GB HBM3", 132) == doctest::Approx(1.43).epsilon(0.005));
  // An unknown device with the clock and bus width of an H100; without them by multiprocessors.
  const char* const unknown = "NVIDIA of tomorrow";
  CHECK(rate(unknown, 100, 2619e3, 5120) == doctest::Approx(2.92e12).epsilon(0.005));
  CHECK(rate(unknown, 100) == 100 * 31.7e9);
  CHECK(rate(unknown, 100, 0, 5120) == 100 * 31.7e9);
  CHECK(rate("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 16) == 16 * 31.7e9);
}

TEST_CASE("memory speed: what is said of a device is taken") {
  Device device;
  device.multiprocessors = 16;
  CHECK(estimated_bytes_per_second(device) == 16 * 5e9);
  device.bytes_per_second = 1e12;
  CHECK(estimated_bytes_per_second(device) == 1e12);
}

/// AMD devices with wavefronts of 32 lanes are refused. The test needs no device.
TEST_CASE("wavefronts of 64 lanes, or an error that names the device") {
  CHECK_NOTHROW(backends::check_wavefront("AMD Instinct MI250X", "gfx90a:sramecc+:xnack-", 64));
  for (const char* architecture : {"gfx1030", "gfx1100", "gfx1201"}) {
    CHECK_THROWS_WITH_AS(backends::check_wavefront("AMD Radeon", architecture, 32),
                         doctest::Contains(architecture), Error);
    CHECK_THROWS_WITH_AS(backends::check_wavefront("AMD Radeon", architecture, 32),
                         doctest::Contains("wavefronts of 32 lanes"), Error);
  }
}

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// Whether work that was queued on this instance is done after a wait.
bool works(const Exec& exec) {
  const Kokkos::View<int*, Exec> view(Kokkos::view_alloc(exec, std::string("heddle::test::view")),
                                      100);
  Kokkos::deep_copy(exec, view, 7);
  const auto host = Kokkos::create_mirror_view(view);
  Kokkos::deep_copy(exec, host, view);
  exec.fence("heddle::test::stream");
  return host(0) == 7 && host(99) == 7;
}

}  // namespace

TEST_CASE("an instance on the default stream") {
  const Exec exec = backends::instance_on_stream<Exec>(0);
  CHECK(exec == Exec());
  CHECK(works(exec));
}

TEST_CASE("where a space has its arrays") {
  CHECK((backends::dlpack_device<Exec> == 1) == backends::runs_on_host<Exec>);
  CHECK((backends::current_device<Exec>() == -1) == backends::runs_on_host<Exec>);
  CHECK(backends::dlpack_device<Kokkos::DefaultHostExecutionSpace> == 1);
}

#ifdef KOKKOS_ENABLE_CUDA
TEST_CASE("an instance on a stream that another made") {
  cudaStream_t stream;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  {
    const Exec exec = backends::instance_on_stream<Exec>(reinterpret_cast<std::uintptr_t>(stream));
    CHECK(exec.cuda_stream() == stream);
    CHECK(exec.cuda_device() == backends::current_device<Exec>());
    CHECK(works(exec));
  }
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);  // the stream still exists
  cudaStreamDestroy(stream);
}

TEST_CASE("the current device is kept where Kokkos makes another one current") {
  int devices = 0;
  const int before = backends::current_device<Exec>();
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  for (int device = 0; device < devices; ++device) {
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
    {
      const backends::KeepCurrentDevice<Exec> keep;
      const Kokkos::View<int*, Exec> view("heddle::test::view", 100);  // on Kokkos' own device
    }
    CHECK(backends::current_device<Exec>() == device);
  }
  CHECK(cudaSetDevice(before) == cudaSuccess);
}
#endif

}  // namespace heddle::test
