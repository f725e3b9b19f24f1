// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <mutex>

#include "../../core/device.hpp"

namespace heddle::backends {

/// What ask() says of GPU `number`, asked once and kept: the driver takes up to a millisecond for
/// some attributes, and spmv() wants them at every call.
template <class Ask>
Device known_device(int number, const Ask& ask) {
  static std::mutex mutex;
  static std::map<int, Device> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(number);
  return found != known.end() ? found->second : known.emplace(number, ask()).first->second;
}

}  // namespace heddle::backends
