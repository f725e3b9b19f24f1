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

#include "races.hpp"

namespace heddle::backends::emulated {

/// Where who owns a stack stopped.
struct Stop {
  boost::context::detail::fcontext_t context{};
  races::Thread thread;
};

/// A stack with a page below it that nobody may touch, and where its owner stopped.
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

  /// Forgets what was on the stack.
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

/// The fibers of a thread. Those that are parked have nothing to do and wait for a lane: the last
/// one first, whose stack is in the caches; but where races are watched the first, and not soon,
/// since what two lanes do on one fiber is no race.
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
  /// Whatever they were at.
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
