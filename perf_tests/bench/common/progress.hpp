// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::bench {

/// A status line on a terminal's stderr; silent in the first second of a task, and if stderr is not
/// a terminal.
class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;

  void task(std::string what);
  void step(std::size_t done, std::size_t of, const std::string& detail = "");
  void clear();

 private:
  void show(const std::string& text);

  bool terminal_;
  bool shown_ = false;
  double task_started_ = 0, last_shown_ = 0;
  std::string what_;
};

}  // namespace heddle::bench
