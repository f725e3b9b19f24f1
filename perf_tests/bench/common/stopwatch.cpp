// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only source of heddle-bench that uses the streams and events of a backend.
#include <stdexcept>
#include <string>

#include "timing.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#define HEDDLE_GPU(name) cuda##name
#elif defined(KOKKOS_ENABLE_HIP)
#define HEDDLE_GPU(name) hip##name
#endif

namespace heddle::bench {

double Stopwatch::host_seconds() const { return bench::host_seconds(); }

#ifdef HEDDLE_GPU

namespace {
void check(HEDDLE_GPU(Error_t) status) {
  if (status != HEDDLE_GPU(Success)) {
    throw std::runtime_error(std::string("the device failed: ") +
                             HEDDLE_GPU(GetErrorString)(status));
  }
}
#if defined(KOKKOS_ENABLE_CUDA)
cudaStream_t stream_of(const Kokkos::Cuda& exec) { return exec.cuda_stream(); }
#else
hipStream_t stream_of(const Kokkos::HIP& exec) { return exec.hip_stream(); }
#endif
}  // namespace

struct Stopwatch::Native {
  HEDDLE_GPU(Stream_t) stream;
  HEDDLE_GPU(Event_t) begin, end;
};

Stopwatch::Stopwatch(const Kokkos::DefaultExecutionSpace& exec)
    : native_(new Native{stream_of(exec), {}, {}}) {
  check(HEDDLE_GPU(EventCreate)(&native_->begin));
  check(HEDDLE_GPU(EventCreate)(&native_->end));
}

Stopwatch::~Stopwatch() {
  (void)HEDDLE_GPU(EventDestroy)(native_->begin);
  (void)HEDDLE_GPU(EventDestroy)(native_->end);
}

void Stopwatch::start() { check(HEDDLE_GPU(EventRecord)(native_->begin, native_->stream)); }

double Stopwatch::stop() {
  check(HEDDLE_GPU(EventRecord)(native_->end, native_->stream));
  check(HEDDLE_GPU(EventSynchronize)(native_->end));
  float milliseconds = 0;
  check(HEDDLE_GPU(EventElapsedTime)(&milliseconds, native_->begin, native_->end));
  return 1e-3 * static_cast<double>(milliseconds);
}

const char* Stopwatch::kind() { return "device events"; }

#else

struct Stopwatch::Native {
  Kokkos::DefaultExecutionSpace exec;
  double begin;
};

Stopwatch::Stopwatch(const Kokkos::DefaultExecutionSpace& exec) : native_(new Native{exec, {}}) {}
Stopwatch::~Stopwatch() = default;

void Stopwatch::start() { native_->begin = host_seconds(); }

double Stopwatch::stop() {
  native_->exec.fence("heddle::bench::stop");
  return host_seconds() - native_->begin;
}

const char* Stopwatch::kind() { return "host clock"; }

#endif

}  // namespace heddle::bench
