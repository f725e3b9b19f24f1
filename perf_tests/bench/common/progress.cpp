// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace heddle::bench {

namespace {
double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
constexpr double quiet_seconds = 1, pause_seconds = 0.1;
}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::task(std::string what) {
  what_ = std::move(what);
  task_started_ = now();
  // A new task of a slow run is shown at once, since it may take long.
  if (shown_) show(what_);
}

void Progress::step(std::size_t done, std::size_t of, const std::string& detail) {
  const double time = now();
  if (time - task_started_ < quiet_seconds || time - last_shown_ < pause_seconds) return;
  const std::string count = " " + std::to_string(done) + "/" + std::to_string(of);
  show(what_ + (of ? count : "") + (detail.empty() ? "" : " " + detail));
}

void Progress::show(const std::string& text) {
  if (!terminal_) return;
  std::fprintf(stderr, "\r\033[K%.100s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
  last_shown_ = now();
}

void Progress::clear() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace heddle::bench
