// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "types.hpp"

namespace heddle::detail {

/// Labels of an OverlapCheck's word and launches.
struct OverlapLabels {
  const char* busy;
  const char* enter;
  const char* leave;
};
inline constexpr OverlapLabels spmv_overlap = {"heddle::spmv::busy", "heddle::spmv::enter",
                                               "heddle::spmv::leave"};

/// Detects applies of one plan that overlap, which its workspace does not allow: a word on the
/// device is set while an apply runs. On a CPU, whose applies end before they return, an overlap
/// throws Error. Elsewhere it aborts the program from the device, and each check costs two
/// launches: so it is on in debug builds only.
template <ExecutionSpace Exec>
class OverlapCheck {
 public:
  OverlapCheck() = default;
  /// If `on`, allocates the word in the order of `exec`.
  OverlapCheck(const Exec& exec, bool on, const OverlapLabels& labels = spmv_overlap);

  void enter(const Exec& exec) const;
  void leave(const Exec& exec) const;

  /// Calls enter() when it begins and leave() when it ends, also after an exception.
  class Apply {
   public:
    Apply(const OverlapCheck& check, const Exec& exec) : check_(check), exec_(exec) {
      check.enter(exec);
    }
    ~Apply() {
      try {
        check_.leave(exec_);
      } catch (...) {  // the device failed: the apply's own exception says more
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
