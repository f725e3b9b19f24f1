// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <type_traits>

#include "../host/several_devices.hpp"
#include "../stream.hpp"
#include "graph.hpp"

namespace heddle::backends {

template <>
struct SeveralDevices<Kokkos::Cuda> {
  static int count() {
    int devices = 0;
    check_launch("heddle::devices::count", cudaGetDeviceCount(&devices));
    return devices;
  }

  static bool connect(const Kokkos::Cuda& first, const Kokkos::Cuda& second) {
    const KeepCurrentDevice<Kokkos::Cuda> keep;
    return connect_from(first, second) && connect_from(second, first);
  }

  class Queue {
   public:
    explicit Queue(int device, QueuePriority priority = QueuePriority::normal)
        : stream_(make(device, priority)), exec_(stream_.get()) {}
    const Kokkos::Cuda& exec() const { return exec_; }

   private:
    struct Destroy {
      void operator()(cudaStream_t stream) const { worked(cudaStreamDestroy(stream)); }
    };
    using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy>;

    static Stream make(int device, QueuePriority priority) {
      constexpr const char* label = "heddle::devices::queue";
      const KeepCurrentDevice<Kokkos::Cuda> keep;
      check_launch(label, cudaSetDevice(device));
      int normal = 0, high = 0;
      check_launch(label, cudaDeviceGetStreamPriorityRange(&normal, &high));
      cudaStream_t stream = nullptr;
      check_launch(label,
                   cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                                priority == QueuePriority::high ? high : normal));
      return Stream(stream);
    }

    Stream stream_;  // destroyed after the instance
    Kokkos::Cuda exec_;
  };

  class Event {
   public:
    explicit Event(const Kokkos::Cuda& exec) {
      const KeepCurrentDevice<Kokkos::Cuda> keep;
      make_current(exec, label);
      cudaEvent_t event = nullptr;
      check_launch(label, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
      event_.reset(event);
    }
    void record(const Kokkos::Cuda& exec) {
      make_current(exec, label);
      check_launch(label, cudaEventRecord(event_.get(), exec.cuda_stream()));
    }
    void hold(const Kokkos::Cuda& exec) const {
      make_current(exec, label);
      check_launch(label, cudaStreamWaitEvent(exec.cuda_stream(), event_.get(), 0));
    }

   private:
    static constexpr const char* label = "heddle::devices::event";
    struct Destroy {
      void operator()(cudaEvent_t event) const { worked(cudaEventDestroy(event)); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> event_;
  };

 private:
  /// Lets kernels and copies of one device reach memory of another.
  static bool connect_from(const Kokkos::Cuda& exec, const Kokkos::Cuda& other) {
    constexpr const char* label = "heddle::devices::connect";
    if (exec.cuda_device() == other.cuda_device()) return true;
    int can = 0;
    check_launch(label, cudaDeviceCanAccessPeer(&can, exec.cuda_device(), other.cuda_device()));
    if (!can) return false;
    make_current(exec, label);
    const cudaError_t status = cudaDeviceEnablePeerAccess(other.cuda_device(), 0);
    if (!worked(status) && status != cudaErrorPeerAccessAlreadyEnabled) check_launch(label, status);
    return true;
  }
};

}  // namespace heddle::backends
