// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include "error.hpp"

namespace heddle::detail {

/// A member that makes its class one that moves and does not copy, and that tells an object that
/// was moved from: Views and arenas are handles, so copies of what holds them would share memory,
/// and of an object that was moved from nothing else says that it is empty.
class MoveOnly {
 public:
  MoveOnly() = default;
  MoveOnly(MoveOnly&& other) noexcept : moved_from_(std::exchange(other.moved_from_, true)) {}
  MoveOnly& operator=(MoveOnly&& other) noexcept {
    moved_from_ = std::exchange(other.moved_from_, true);
    return *this;
  }

  bool moved_from() const { return moved_from_; }
  /// Throws Error, naming what was called, if the object was moved from.
  void check(const char* type, const char* called) const {
    if (!moved_from_) return;
    throw Error(std::string(type) + "::" + called + " was called on an object that was moved from",
                "call it on the one that it was moved to");
  }

 private:
  bool moved_from_ = false;
};

}  // namespace heddle::detail
