// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <string>

#include "error.hpp"

namespace heddle::detail {

/// Carries exceptions from the threads of a parallel loop to the thread that waits for it. (One
/// that leaves a parallel region by itself ends the program.)
///
///     FromThreads thrown;
///     loop over i, in parallel: thrown.run(i, [&] { body(i); });
///     wait for the loop;
///     thrown.rethrow("heddle::op::phase");
///
/// Not for bodies that wait for each other: those would wait for the one that threw forever.
class FromThreads {
 public:
  /// Runs body(), keeps what it throws, and returns whether it threw nothing. Of several exceptions
  /// that of the lowest index is kept, whatever the threads, if every index below it is run.
  template <class Body>
  bool run(std::int64_t index, const Body& body) noexcept {
    try {
      body();
      return true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (index < index_) {
        index_ = index;
        thrown_ = std::current_exception();
      }
      return false;
    }
  }

  /// Throws what was kept, if anything was, once every thread has ended. A std::bad_alloc becomes
  /// an OutOfMemory that names `label`.
  void rethrow(const char* label) const {
    try {
      rethrow();
    } catch (const std::bad_alloc&) {
      throw OutOfMemory(std::string("no memory of the host for ") + label, "free some");
    }
  }

  /// The same, a std::bad_alloc as it is.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::int64_t index_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace heddle::detail
