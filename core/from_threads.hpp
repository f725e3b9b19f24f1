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

/// Carries exceptions from the threads of a parallel loop to the thread that waits for the loop.
/// (An exception that leaves a parallel region otherwise ends the program.)
///
///     FromThreads thrown;
///     loop over i, in parallel: thrown.run(i, [&] { body(i); });
///     wait for the loop;
///     thrown.rethrow("heddle::op::phase");
///
/// It does not suit bodies that wait for each other: they would wait forever for one that threw.
class FromThreads {
 public:
  /// Runs body(), keeps its exception, and returns whether it threw none. Of several exceptions the
  /// one with the lowest index is kept, for any number of threads, if all lower indices are run.
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

  /// Throws the kept exception, if there is one; call it once every thread has ended. A
  /// std::bad_alloc becomes an OutOfMemory that names `label`.
  void rethrow(const char* label) const {
    try {
      rethrow();
    } catch (const std::bad_alloc&) {
      throw OutOfMemory(std::string("the host lacks memory for ") + label, "free some");
    }
  }

  /// Throws the kept exception, if there is one; a std::bad_alloc stays as it is.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::int64_t index_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace heddle::detail
