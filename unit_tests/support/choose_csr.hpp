// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of choose: invented devices and rows, and CSR's scheme for them.
#pragma once

#include "../../formats/choose.hpp"
#include "../../formats/csr/format.hpp"

namespace heddle::test {

using Csr = Formats<CsrFormat>;

inline Device gpu(int lanes) {
  Device device;
  device.name = "a GPU";
  device.backend = lanes == 64   ? BackendKind::hip
                   : lanes == 32 ? BackendKind::cuda
                                 : BackendKind::host;
  device.lanes = lanes;
  device.multiprocessors = 132;
  device.threads_per_multiprocessor = 2048;
  device.cache_bytes = 60 << 20;
  return device;
}

inline RowFeatures rows_of(std::int64_t rows, std::int64_t mean, std::int64_t longest) {
  RowFeatures features;
  features.rows = features.columns = rows;
  features.nonzeros = rows * mean;
  features.longest_row = longest;
  return features;
}

inline std::string chosen(const RowFeatures& rows, const Device& device,
                          const ExpectedVectors& vectors = {},
                          std::int64_t expected_applies = 1000) {
  ChooseOptions options;
  options.expected_applies = expected_applies;
  options.sizes.vectors = vectors;
  return choose<Csr>(rows, device, options).scheme.to_string();
}

}  // namespace heddle::test
