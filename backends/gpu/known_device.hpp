// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <mutex>

#include "../../core/device.hpp"

namespace heddle::backends {

/// Result of ask() for GPU `number`, cached for each type of Ask.
template <class Ask>
auto asked_once(int number, const Ask& ask) {
  static std::mutex mutex;
  static std::map<int, decltype(ask())> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(number);
  return found != known.end() ? found->second : known.emplace(number, ask()).first->second;
}

/// Description of GPU `number` by ask(), cached: the driver takes up to a millisecond for some
/// attributes, and spmv() needs them at every call.
template <class Ask>
Device known_device(int number, const Ask& ask) {
  return asked_once(number, ask);
}

}  // namespace heddle::backends
