// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>
#include <set>
#include <string>

namespace heddle::backends::emulated {

/// The labels of the kernels that a program has launched so far.
class Labels {
 public:
  void add(const char* label) {
    const std::lock_guard lock(mutex_);
    all_.insert(label);
  }
  std::set<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> all_;
};

inline Labels& launched_labels() {
  static Labels labels;
  return labels;
}

}  // namespace heddle::backends::emulated
