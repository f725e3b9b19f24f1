// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/device.hpp"
#include "../../core/features.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../core/promises.hpp"

namespace heddle {

/// What a plan knows when it asks a format to inspect, so that nobody asks twice. The references
/// live as long as the call.
template <ExecutionSpace Exec, class Matrix>
struct Inspection {
  const Exec& exec;
  const Matrix& A;  ///< checked: the row pointer, and the columns unless the user vouches for them
  const Features& features;
  const Device& device;
  ExpectedVectors vectors;
  Symmetry symmetry = Symmetry::none;  ///< else one triangle is stored
  Promises promises = {};              ///< what need not be looked at
};

}  // namespace heddle
