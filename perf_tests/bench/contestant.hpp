// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <heddle/core/matrix.hpp>
#include <memory>
#include <string>
#include <vector>

namespace heddle::bench {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Index = std::int32_t;

/// One matrix on the device with the vectors it is applied to; what every contestant is given.
template <Scalar S, Offset Off>
struct SpmvProblem {
  CsrMatrix<S, Index, Off, Space> A;
  /// columns() x k and rows() x k; with k = 1, x_vector and y_vector view the same memory.
  Kokkos::View<S**, Kokkos::LayoutLeft, Space> x, y;
  Kokkos::View<S*, Space> x_vector, y_vector;

  int columns() const { return static_cast<int>(x.extent(1)); }
};

/// Something that was set up for one problem and can compute y = alpha A x + beta y.
template <Scalar S>
class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual void apply(const Exec& exec, S alpha, S beta) = 0;
  /// What the setup built beside the CSR arrays.
  virtual std::size_t bytes() const { return 0; }
  /// What ran, where the name does not say it all.
  virtual std::string note() const { return ""; }
};

/// A library that Heddle is compared with. `setup` does all that can be done before the first
/// apply; it throws heddle::Error where the library does not take the problem.
template <Scalar S, Offset Off>
struct Baseline {
  std::string name;
  std::string description;
  std::function<std::unique_ptr<Contestant<S>>(const Exec&, const SpmvProblem<S, Off>&)> setup;
};

/// The baselines that are compiled in for one pair of types. A file of perf_tests/baselines/ adds
/// its own from a static initializer.
template <Scalar S, Offset Off>
std::vector<Baseline<S, Off>>& baselines() {
  static std::vector<Baseline<S, Off>> list;
  return list;
}

template <Scalar S, Offset Off>
bool add_baseline(Baseline<S, Off> baseline) {
  baselines<S, Off>().push_back(std::move(baseline));
  return true;
}

}  // namespace heddle::bench
