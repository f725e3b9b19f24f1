// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <new>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#define HEDDLE_WATCHES_RACES
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_WATCHES_RACES
#endif
#endif

#ifdef HEDDLE_WATCHES_RACES
#include <sanitizer/tsan_interface.h>

extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

/// Annotations of an emulated device for the thread sanitizer, if the program is compiled for it:
/// lanes are threads, ordered only by functions that say so. Otherwise they do nothing.
namespace heddle::backends::emulated::races {

#ifdef HEDDLE_WATCHES_RACES
inline constexpr bool watched = true;

/// A lane's stack as the sanitizer knows it. It lives until the program ends, since the sanitizer
/// complains of one that ends where it is not watched.
class Thread {
 public:
  void begin() { handle_ = __tsan_create_fiber(0); }
  void is_this() { handle_ = __tsan_get_current_fiber(); }
  /// The next instructions are this stack's. They are not ordered after those of the stack before.
  void goes_on() const { __tsan_switch_to_fiber(handle_, __tsan_switch_to_fiber_no_sync); }

 private:
  void* handle_ = nullptr;
};

/// Orders what this lane did before what others do after they acquire the same place.
inline void release(const void* place) { __tsan_release(const_cast<void*>(place)); }
inline void acquire(const void* place) { __tsan_acquire(const_cast<void*>(place)); }

/// While in scope, accesses are those of the emulated device, not of the lane.
class Unwatched {
 public:
  Unwatched() { begin(); }
  ~Unwatched() { end(); }
  Unwatched(const Unwatched&) = delete;

  static void begin() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  static void end() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
};
/// While in scope, inside of an Unwatched, accesses are the lane's again.
class Watched {
 public:
  Watched() { Unwatched::end(); }
  ~Watched() { Unwatched::begin(); }
  Watched(const Watched&) = delete;
};

/// Accesses that the sanitizer sees as relaxed atomics: no race with each other, and no order, but
/// a race with plain reads or writes of the place.
template <class T>
T load(const T* place) {
  const Watched watched;
  T value;
  __atomic_load(const_cast<T*>(place), &value, __ATOMIC_RELAXED);
  return value;
}
template <class T>
void store(T* place, T value) {
  const Watched watched;
  __atomic_store(place, &value, __ATOMIC_RELAXED);
}
#else
inline constexpr bool watched = false;

struct Thread {
  void begin() {}
  void is_this() {}
  void goes_on() const {}
};
inline void release(const void*) {}
inline void acquire(const void*) {}
struct Unwatched {
  Unwatched() {}
  Unwatched(const Unwatched&) = delete;
};
struct Watched {
  Watched() {}
  Watched(const Watched&) = delete;
};
template <class T>
T load(const T* place) {
  return *place;
}
template <class T>
void store(T* place, T value) {
  *place = value;
}
#endif

}  // namespace heddle::backends::emulated::races

namespace heddle::backends::emulated {

/// The point at which the owner of a stack stopped.
struct Stop {
  boost::context::detail::fcontext_t context{};
  races::Thread thread;
};

/// A stack with a guard page below it, and the point at which its owner stopped.
class Fiber {
 public:
  using Entry = void (*)(boost::context::detail::transfer_t);
  static constexpr std::size_t stack_bytes = std::size_t{64} << 10;

  /// Stacks of different `color` begin in different lines of a first-level cache.
  Fiber(Entry entry, std::size_t color) : offset_(color * 5 % 32 * 128) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = stack_bytes + page;
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory_, page, PROT_NONE);
    restart(entry);
  }
  ~Fiber() { munmap(memory_, bytes_); }
  Fiber(const Fiber&) = delete;

  /// Discards what was on the stack.
  void restart(Entry entry) {
    stop.thread.begin();
    stop.context = boost::context::detail::make_fcontext(
        static_cast<std::byte*>(memory_) + bytes_ - offset_, stack_bytes - offset_, entry);
  }

  Stop stop;

 private:
  std::size_t offset_;
  void* memory_;
  std::size_t bytes_;
};

/// The fibers of a thread. Parked fibers are idle until a lane takes one: the last parked, whose
/// stack is in the caches. If races are watched it is the first, and only when enough are parked,
/// since the sanitizer sees no race between two lanes on one fiber.
class Fibers {
 public:
  explicit Fibers(Fiber::Entry entry) : entry_(entry) {}

  Fiber& take() {
    constexpr std::size_t fewest_parked = races::watched ? 16 : 1;
    if (parked_.size() < fewest_parked) {
      all_.push_back(std::make_unique<Fiber>(entry_, all_.size()));
      return *all_.back();
    }
    Fiber* const fiber = races::watched ? parked_.front() : parked_.back();
    races::watched ? parked_.pop_front() : parked_.pop_back();
    return *fiber;
  }
  void park(Fiber& fiber) { parked_.push_back(&fiber); }
  /// Restarts all fibers, whatever they were doing.
  void restart_all() {
    parked_.clear();
    for (const auto& fiber : all_) {
      fiber->restart(entry_);
      parked_.push_back(fiber.get());
    }
  }

 private:
  Fiber::Entry entry_;
  std::vector<std::unique_ptr<Fiber>> all_;
  std::deque<Fiber*> parked_;
};

}  // namespace heddle::backends::emulated
