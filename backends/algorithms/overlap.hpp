// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"
#include "../../core/overlap.hpp"
#include "../atomics.hpp"
#include "../lanes.hpp"
#include "../loops.hpp"

namespace heddle::detail {

/// Counts an apply in. A second one at the same time aborts, since a kernel cannot throw.
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

template <ExecutionSpace Exec>
OverlapCheck<Exec>::OverlapCheck(const Exec& exec, bool on, const OverlapLabels& labels)
    : labels_(labels) {
  if (on) busy_ = Word(Kokkos::view_alloc(kokkos_space(exec), std::string(labels.busy)));
}

template <ExecutionSpace Exec>
void OverlapCheck<Exec>::enter(const Exec& exec) const {
  if (!busy_.data()) return;
  if constexpr (backends::runs_on_host<Exec>) {
    if (backends::atomic_fetch_add(busy_.data(), 1) == 0) return;
    backends::atomic_add(busy_.data(), -1);  // the running apply is still counted
    throw Error("one plan is applied twice at the same time",
                "make a plan for each stream or thread, or wait for the first apply");
  } else {
    parallel_for(exec, labels_.enter, 1, EnterKernel<Word>{busy_});
  }
}

template <ExecutionSpace Exec>
void OverlapCheck<Exec>::leave(const Exec& exec) const {
  if (!busy_.data()) return;
  if constexpr (backends::runs_on_host<Exec>) {
    backends::atomic_add(busy_.data(), -1);
  } else {
    parallel_for(exec, labels_.leave, 1, LeaveKernel<Word>{busy_});
  }
}

}  // namespace heddle::detail
