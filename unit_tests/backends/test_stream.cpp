// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instances on streams that the user created.
#include <doctest/doctest.h>

#include "../../backends/lanes.hpp"
#include "../../backends/stream.hpp"

namespace heddle::test {

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
#endif

}  // namespace heddle::test
