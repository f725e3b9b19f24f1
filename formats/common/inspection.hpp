// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/device.hpp"
#include "../../core/features.hpp"
#include "../../core/matrix.hpp"
#include "prediction.hpp"

namespace heddle {

struct LaneForest;

/// What a plan passes to a format that inspects: the arguments of predict (Sizes: types, vectors,
/// symmetry, promises), and the matrix on its device. The references live as long as the call.
template <ExecutionSpace Exec, class Matrix>
struct Inspection : Sizes {
  const Exec& exec;
  const Matrix& A;  ///< checked: the row pointer, and the columns unless the user vouches for them
  const Features& features;
  const Device& device;
  /// Learned for such plans on this device, or null: lanes of csr/blocks.
  const LaneForest* lanes = nullptr;
};

}  // namespace heddle
