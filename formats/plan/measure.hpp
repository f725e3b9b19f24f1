// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../core/arena.hpp"
#include "../common/executor.hpp"

namespace heddle::detail {

template <Scalar V>
struct OnesKernel {
  V* x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x[i] = V(1); }
};

/// Times applies of executors of one matrix, with vectors of its own: x of ones, as many and laid
/// out as a plan expects them.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class ApplyTimer {
 public:
  /// One allocation, which lives as long as the timer, and one launch.
  ApplyTimer(const Exec& exec, const Matrix& A, const ExpectedVectors& vectors)
      : exec_(exec),
        memory_(exec, "heddle::spmv::measured_vectors",
                arena_bytes<V, V>(entries(A.columns(), vectors), entries(A.rows(), vectors))),
        x_(multivector(A.columns(), vectors)),
        y_(multivector(A.rows(), vectors)) {
    Kokkos::parallel_for("heddle::spmv::measured_ones", range_policy(exec, x_.rows * x_.count),
                         OnesKernel<V>{x_.data});
  }

  /// Seconds of one apply, y = A x, where many are queued: the least of several turns, which others
  /// have disturbed the least. Takes about `budget` seconds, and three applies at least; waits for
  /// the execution space instance.
  double seconds_of_apply(SpmvExecutor<Exec, Matrix, V, Acc>& executor, double budget) const {
    seconds_of(executor, 1);  // the first loads the kernel
    double least = 0, spent = 0;
    int applies = 1, turns = 0;
    do {
      const double seconds = seconds_of(executor, applies);
      least = turns++ == 0 ? seconds / applies : std::min(least, seconds / applies);
      spent += seconds;
      const bool mostly_waiting = seconds < budget / 8;
      if (mostly_waiting && applies < most_applies) applies *= 2;
    } while (spent < budget || turns < 2);
    return least;
  }

 private:
  static constexpr int most_applies = 1 << 16;

  static std::size_t entries(std::int64_t rows, const ExpectedVectors& vectors) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(vectors.count);
  }

  Multivector<V> multivector(std::int64_t rows, const ExpectedVectors& vectors) {
    V* const data = memory_.template take<V>(entries(rows, vectors)).data();
    return vectors.apart ? Multivector<V>{data, 1, rows, rows, vectors.count}
                         : Multivector<V>{data, vectors.count, 1, rows, vectors.count};
  }

  double seconds_of(SpmvExecutor<Exec, Matrix, V, Acc>& executor, int applies) const {
    const Multivector<const V> x{x_.data, x_.row_stride, x_.vector_stride, x_.rows, x_.count};
    exec_.fence("heddle::spmv::measure");
    const Kokkos::Timer timer;
    for (int i = 0; i < applies; ++i) executor.apply(exec_, Op::none, Acc(1), x, Acc(0), y_);
    exec_.fence("heddle::spmv::measured");
    return timer.seconds();
  }

  const Exec& exec_;
  Arena<typename Exec::memory_space> memory_;
  Multivector<V> x_;
  Multivector<V> y_;
};

}  // namespace heddle::detail
