// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>

#include "../../bench/common/plans.hpp"

namespace heddle::bench {

using CliffMatrix = CsrMatrix<double, Index, std::int32_t, Space>;

/// A plan and one of its schemes, which are timed.
struct CliffCase {
  std::string plan, scheme;  ///< "auto": the plan's own choice
  std::function<std::unique_ptr<AnyOperator<double>>(const Exec&, const CliffMatrix&)> make;
};

/// All cases of a device. The instance of double with 32-bit offsets sets it; it is empty in a
/// build without that.
inline std::function<std::vector<CliffCase>(const Device&)>& cliff_cases() {
  static std::function<std::vector<CliffCase>(const Device&)> cases;
  return cases;
}

}  // namespace heddle::bench
