// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../backends/atomics.hpp"
#include "../../backends/lanes.hpp"
#include "../../core/error.hpp"
#include "../../core/loops.hpp"
#include "../../core/types.hpp"

namespace heddle::detail {

/// Whether this source is compiled with assertions.
#ifdef NDEBUG
inline constexpr bool asserts = false;
#else
inline constexpr bool asserts = true;
#endif

/// Counts an apply in; a second one at the same time ends the program, since nobody can throw here.
template <class Word>
struct EnterKernel {
  Word busy;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    if (backends::atomic_fetch_add(&busy(), 1) == 0) return;
    Kokkos::abort(
        "heddle: one plan is applied on two streams at the same time; make a plan for each");
  }
};
template <class Word>
struct LeaveKernel {
  Word busy;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { backends::atomic_store(&busy(), 0); }
};

/// What an OverlapCheck calls its word and its launches.
struct OverlapLabels {
  const char* busy;
  const char* enter;
  const char* leave;
};
inline constexpr OverlapLabels spmv_overlap = {"heddle::spmv::busy", "heddle::spmv::enter",
                                               "heddle::spmv::leave"};

/// Finds out whether two applies of one plan overlap, which its workspace does not allow: a word on
/// the device that is set while an apply runs. On a CPU, whose applies are done when they return,
/// an overlap throws Error. Elsewhere it aborts the program from the device, and the check costs
/// two launches an apply: so it is on in debug builds only.
template <ExecutionSpace Exec>
class OverlapCheck {
 public:
  OverlapCheck() = default;
  /// One allocation in the order of `exec`, if on.
  OverlapCheck(const Exec& exec, bool on, const OverlapLabels& labels = spmv_overlap)
      : labels_(labels) {
    if (on) busy_ = Word(Kokkos::view_alloc(kokkos_space(exec), std::string(labels.busy)));
  }

  void enter(const Exec& exec) const {
    if (!busy_.data()) return;
    if constexpr (on_host) {
      if (backends::atomic_fetch_add(busy_.data(), 1) == 0) return;
      backends::atomic_add(busy_.data(), -1);  // the one that runs is still counted
      throw Error("one plan is applied twice at the same time",
                  "make a plan for each stream or thread, or wait for the first apply");
    } else {
      parallel_for(exec, labels_.enter, 1, EnterKernel<Word>{busy_});
    }
  }
  void leave(const Exec& exec) const {
    if (!busy_.data()) return;
    if constexpr (on_host) {
      backends::atomic_add(busy_.data(), -1);
    } else {
      parallel_for(exec, labels_.leave, 1, LeaveKernel<Word>{busy_});
    }
  }

  /// An apply that is counted in while it lives, and counted out where it throws as well.
  class Apply {
   public:
    Apply(const OverlapCheck& check, const Exec& exec) : check_(check), exec_(exec) {
      check.enter(exec);
    }
    ~Apply() {
      try {
        check_.leave(exec_);
      } catch (...) {  // where the device fails; what the apply throws says more
      }
    }
    Apply(const Apply&) = delete;
    Apply& operator=(const Apply&) = delete;

   private:
    const OverlapCheck& check_;
    const Exec& exec_;
  };

 private:
  using Word = Kokkos::View<int, typename Exec::memory_space>;
  static constexpr bool on_host = backends::runs_on_host<Exec>;

  OverlapLabels labels_ = spmv_overlap;
  Word busy_;
};

}  // namespace heddle::detail
