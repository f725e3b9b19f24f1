// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../core/device.hpp"

/// A tag for every backend, whether this build has it or not. Formats specialize their tuned
/// numbers on it, for kernels and cost model alike.
namespace heddle::backends {

/// Serial, OpenMP and Threads of Kokkos: a team is a thread.
struct Host {
  static constexpr const char* name = "host";
  static constexpr BackendKind kind = BackendKind::host;
  /// Whether a team that has begun continues while others wait for it: see launch_in_order.
  static constexpr bool waits_make_progress = true;
  /// Whether launch_in_order uses tickets. Threads of a CPU run their teams in order without them.
  static constexpr bool orders_teams_by_ticket = false;
};

struct Cuda {
  static constexpr const char* name = "cuda";
  static constexpr BackendKind kind = BackendKind::cuda;
  static constexpr bool waits_make_progress = true;
  /// CUDA does not guarantee that teams begin in the order of their index, though all devices so
  /// far do so; docs/backends.md says what certainty costs.
  static constexpr bool orders_teams_by_ticket = false;
};

struct Hip {
  static constexpr const char* name = "hip";
  static constexpr BackendKind kind = BackendKind::hip;
  static constexpr bool waits_make_progress = true;
  /// HIP does not guarantee the order either, and some devices consist of several dies.
  static constexpr bool orders_teams_by_ticket = true;
};

/// Portable<Exec>, and every execution space that Heddle does not know.
struct Portable {
  static constexpr const char* name = "portable";
  static constexpr BackendKind kind = BackendKind::portable;
  /// A team policy does not guarantee progress: use a second launch instead of waits.
  static constexpr bool waits_make_progress = false;
  static constexpr bool orders_teams_by_ticket = true;
};

/// Calls body(Tag()) with the tag of a device's backend.
template <class Body>
constexpr decltype(auto) with_tag(BackendKind kind, const Body& body) {
  switch (kind) {
    case BackendKind::cuda: return body(Cuda());
    case BackendKind::hip: return body(Hip());
    case BackendKind::portable: return body(Portable());
    case BackendKind::host: break;
  }
  return body(Host());
}

}  // namespace heddle::backends

/// HEDDLE_EACH_SPACE(DO, ...): DO(..., Exec) for each execution space that a compiled part has
/// instances for: Kokkos' default, and if that is a device's, the host's default too.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL) || \
    defined(KOKKOS_ENABLE_OPENMPTARGET) || defined(KOKKOS_ENABLE_OPENACC)
#define HEDDLE_EACH_SPACE(DO, ...)                 \
  DO(__VA_ARGS__, ::Kokkos::DefaultExecutionSpace) \
  DO(__VA_ARGS__, ::Kokkos::DefaultHostExecutionSpace)
#else
#define HEDDLE_EACH_SPACE(DO, ...) DO(__VA_ARGS__, ::Kokkos::DefaultExecutionSpace)
#endif
