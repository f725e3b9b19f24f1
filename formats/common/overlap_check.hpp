// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../../core/error.hpp"
#include "../../core/types.hpp"

namespace heddle::detail {

/// Whether this source is compiled with assertions.
#ifdef NDEBUG
inline constexpr bool asserts = false;
#else
inline constexpr bool asserts = true;
#endif

/// Counts an apply in; a second one at the same time ends the program where nobody can throw.
template <class Word, bool Aborts>
struct EnterKernel {
  Word busy;
  KOKKOS_FUNCTION void operator()(int) const {
    const int before = backends::atomic_fetch_add(&busy(), 1);
    if constexpr (Aborts) {
      if (before > 0) {
        Kokkos::abort(
            "heddle: one plan is applied on two streams at the same time; make a plan for each");
      }
    }
  }
};
template <class Word>
struct LeaveKernel {
  Word busy;
  KOKKOS_FUNCTION void operator()(int) const { backends::atomic_store(&busy(), 0); }
};

/// Finds out whether two applies of one plan overlap, which its workspace does not allow: a word on
/// the device that is set while an apply runs. Costs two launches an apply and so is on in debug
/// builds only. Where host code can read the word, an overlap throws Error; else it aborts the
/// program from the device.
template <ExecutionSpace Exec>
class OverlapCheck {
 public:
  OverlapCheck() = default;
  /// One allocation in the order of `exec`, if on.
  OverlapCheck(const Exec& exec, bool on) {
    if (on) busy_ = Word(Kokkos::view_alloc(kokkos_space(exec), "heddle::spmv::busy"));
  }

  void enter(const Exec& exec) const {
    if (!busy_.data()) return;
    Kokkos::parallel_for("heddle::spmv::enter", policy(exec), EnterKernel<Word, !on_host>{busy_});
    if constexpr (on_host) {
      if (busy_() > 1) {
        throw Error("one plan is applied twice at the same time",
                    "make a plan for each stream or thread, or wait for the first apply");
      }
    }
  }
  void leave(const Exec& exec) const {
    if (!busy_.data()) return;
    Kokkos::parallel_for("heddle::spmv::leave", policy(exec), LeaveKernel<Word>{busy_});
  }

 private:
  using Space = typename Exec::memory_space;
  using Word = Kokkos::View<int, Space>;
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Kokkos::HostSpace>::accessible;

  static auto policy(const Exec& exec) {
    return Kokkos::RangePolicy<KokkosSpace<Exec>>(kokkos_space(exec), 0, 1);
  }

  Word busy_;
};

}  // namespace heddle::detail
