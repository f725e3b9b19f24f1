// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include "error.hpp"

namespace heddle::detail {

/// Tag of the constructor that makes an empty object: MoveOnly(made_empty).
struct MadeEmpty {};
inline constexpr MadeEmpty made_empty;

/// A member that makes its class move-only, and that records whether the object is empty because it
/// was made so or moved from. Views and arenas are handles: copies of an object that holds them
/// would share memory, and a moved-from handle is not empty.
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

  /// Marks this object as moved from, and returns its state; an empty object stays empty.
  Is leave() { return is_ == Is::empty ? Is::empty : std::exchange(is_, Is::moved_from); }

  Is is_ = Is::whole;
};

}  // namespace heddle::detail
