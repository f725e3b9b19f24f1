// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands for operators and preconditioners where solvers are only compiled.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

struct Nothing {
  template <class X, class Y>
  void apply(const Gpu&, const X&, const Y&) const {}
  std::int64_t rows() const { return 0; }
  std::int64_t columns() const { return 0; }
};

}  // namespace heddle
