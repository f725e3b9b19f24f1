// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that another kernel occupies nearly completely.
#pragma once

#include "../../backends/device.hpp"
#include "../../backends/launch.hpp"

namespace heddle::test {

/// Teams that use all scratch of a multiprocessor, and end when *leave is set.
struct HoldKernel {
  using Scratch = backends::DynamicScratch;
  int* arrived;
  const int* leave;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() == 0) {
      backends::arrive(arrived);
      backends::collect(leave, [](int seen) { return seen != 0; });
    }
    team.barrier();
  }
};

struct ReleaseKernel {
  int* leave;
  KOKKOS_FUNCTION void operator()(int) const { backends::post(leave, 1); }
};

/// Holds all multiprocessors of a device but one within its scope. `talk` is an instance that
/// checks the holders, and releases them.
template <ExecutionSpace Exec>
class HeldDevice {
 public:
  HeldDevice(const Exec& hold, const Exec& talk) : hold_(hold), talk_(talk) {
    // A first launch without effect: it loads the kernel, which may wait for the device.
    release();
    Kokkos::deep_copy(kokkos_space(talk_), words_, 0);
    arrived();
  }
  void hold() {
    const Device device = backends::describe(hold_);
    const int teams = device.multiprocessors - 1;
    backends::launch<backends::Shape<1, 128>>(hold_, "heddle::test::hold", teams,
                                              HoldKernel{words_.data(), words_.data() + 1},
                                              device.scratch_bytes);
    while (arrived() < teams) {
    }
  }
  ~HeldDevice() {
    release();
    hold_.fence("heddle::test::released");
  }

 private:
  int arrived() {
    int number = 0;
    Kokkos::deep_copy(kokkos_space(talk_), number, Kokkos::subview(words_, 0));
    talk_.fence("heddle::test::arrived");
    return number;
  }
  void release() {
    Kokkos::parallel_for("heddle::test::release",
                         Kokkos::RangePolicy<KokkosSpace<Exec>>(kokkos_space(talk_), 0, 1),
                         ReleaseKernel{words_.data() + 1});
    talk_.fence("heddle::test::release");
  }

  Exec hold_, talk_;
  Kokkos::View<int[2], typename Exec::memory_space> words_{"heddle::test::words"};
};

}  // namespace heddle::test
