// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include "error.hpp"

namespace heddle::detail {

/// Says that an object is made empty: MoveOnly(made_empty).
struct MadeEmpty {};
inline constexpr MadeEmpty made_empty;

/// A member that makes its class one that moves and does not copy, and that tells an object that is
/// empty, because it was made so or moved from: Views and arenas are handles, so copies of what
/// holds them would share memory, and of an empty object nothing else says that it is.
class MoveOnly {
 public:
  MoveOnly() = default;
  explicit MoveOnly(MadeEmpty) : is_(Is::empty) {}
  MoveOnly(MoveOnly&& other) noexcept : is_(other.leave()) {}
  MoveOnly& operator=(MoveOnly&& other) noexcept {
    is_ = other.leave();
    return *this;
  }

  bool moved_from() const { return is_ == Is::moved_from; }
  /// Throws Error, naming what was called, if the object is empty.
  void check(const char* type, const char* called) const {
    if (is_ != Is::whole) fail(type, called);
  }

 private:
  enum class Is { whole, empty, moved_from };

  [[noreturn, gnu::cold]] void fail(const char* type, const char* called) const {
    const std::string what = std::string(type) + "::" + called + " was called on an object that ";
    if (is_ == Is::empty)
      throw Error(what + "is empty", "assign one to it that was made for a matrix");
    throw Error(what + "was moved from", "call it on the one that it was moved to");
  }

  /// What was empty leaves something empty.
  Is leave() { return is_ == Is::empty ? Is::empty : std::exchange(is_, Is::moved_from); }

  Is is_ = Is::whole;
};

}  // namespace heddle::detail
