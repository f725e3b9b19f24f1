// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes that hold the rows of one system, as threads of which one runs at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace heddle::test {

class Processes {
 public:
  /// One of them, in its thread.
  class Process {
   public:
    Process(Processes& all, int number) : all_(&all), number_(number), turn_(all.one_runs_) {}

    int number() const { return number_; }
    int count() const { return all_->count_; }
    /// Waits until all processes call it. Throws if one of them has ended.
    void meet() { all_->meet(turn_); }
    /// Adds up numbers over all processes, in their order.
    void sum(std::span<double> numbers) {
      ++reductions;
      all_->numbers_[static_cast<std::size_t>(number_)] = numbers;
      meet();
      std::vector<double> total(numbers.size(), 0);
      for (const std::span<double> of : all_->numbers_) {
        if (of.size() != total.size()) throw std::runtime_error("processes sum unlike numbers");
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += of[i];
      }
      meet();
      std::copy(total.begin(), total.end(), numbers.begin());
    }
    /// Gives all processes what each of them has.
    template <class T, class Use>
    void exchange(const T* own, const Use& use) {
      all_->pointers_[static_cast<std::size_t>(number_)] = own;
      meet();
      for (int p = 0; p < count(); ++p) {
        use(p, static_cast<const T*>(all_->pointers_[static_cast<std::size_t>(p)]));
      }
      meet();
    }

    int reductions = 0;

   private:
    Processes* all_;
    int number_;
    std::unique_lock<std::mutex> turn_;
  };

  explicit Processes(int count)
      : count_(count),
        numbers_(static_cast<std::size_t>(count)),
        pointers_(static_cast<std::size_t>(count)) {}

  /// Runs body(process) on each process. Returns what each threw, or "".
  template <class Body>
  std::vector<std::string> run(const Body& body) {
    std::vector<std::string> errors(static_cast<std::size_t>(count_));
    std::vector<std::thread> threads;
    threads.reserve(errors.size());
    for (int number = 0; number < count_; ++number) {
      threads.emplace_back([&, number] {
        Process process(*this, number);
        try {
          body(process);
        } catch (const std::exception& error) {
          errors[static_cast<std::size_t>(number)] = error.what();
        }
        ended_ = true;
        changed_.notify_all();
      });
    }
    for (std::thread& thread : threads) thread.join();
    return errors;
  }

 private:
  void meet(std::unique_lock<std::mutex>& turn) {
    const int meeting = meetings_;
    if (!ended_ && ++here_ == count_) {
      here_ = 0;
      ++meetings_;
      changed_.notify_all();
      return;
    }
    changed_.wait(turn, [&] { return meetings_ != meeting || ended_; });
    if (meetings_ == meeting) throw std::runtime_error("a process waits for one that has ended");
  }

  int count_, here_ = 0, meetings_ = 0;
  bool ended_ = false;
  std::mutex one_runs_;
  std::condition_variable changed_;
  std::vector<std::span<double>> numbers_;
  std::vector<const void*> pointers_;
};

}  // namespace heddle::test
