// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "types.hpp"

namespace heddle::detail {

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
  OverlapCheck(const Exec& exec, bool on, const OverlapLabels& labels = spmv_overlap);

  void enter(const Exec& exec) const;
  void leave(const Exec& exec) const;

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

  OverlapLabels labels_ = spmv_overlap;
  Word busy_;
};

}  // namespace heddle::detail
