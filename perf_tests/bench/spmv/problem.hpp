// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../../core/matrix.hpp"

namespace heddle::bench {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Index = std::int32_t;

/// One matrix on the device with the vectors it is applied to; what every contestant is given.
template <Scalar S, Offset Off>
struct SpmvProblem {
  CsrMatrix<S, Index, Off, Space> A;
  int columns = 1;
  /// Whether the entries of a row of x and y lie side by side, or those of a column.
  bool row_major = false;
  /// A.columns() x columns and A.rows() x columns, without gaps.
  Kokkos::View<S*, Space> x, y;

  template <class Layout>
  using Columns = Kokkos::View<S**, Layout, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// x or y as several columns.
  template <class Layout>
  Columns<Layout> as_columns(const Kokkos::View<S*, Space>& vector) const {
    const auto k = static_cast<std::size_t>(columns);
    return Columns<Layout>(vector.data(), vector.extent(0) / k, k);
  }

  /// use(x, y) with vectors of rank 1 for one column, else with rank 2 in their layout.
  template <class Use>
  auto with_vectors(const Use& use) const {
    using Left = Kokkos::LayoutLeft;
    using Right = Kokkos::LayoutRight;
    if (columns == 1) return use(x, y);
    if (row_major) return use(as_columns<Right>(x), as_columns<Right>(y));
    return use(as_columns<Left>(x), as_columns<Left>(y));
  }
};

/// Something that was set up for one problem and can compute y = alpha A x + beta y.
template <Scalar S>
class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual void apply(const Exec& exec, S alpha, S beta) = 0;
  /// What the setup built beside the CSR arrays.
  virtual std::size_t bytes() const { return 0; }
  /// What one apply with beta = 0 really reads and writes; 0 where it is not known.
  virtual std::size_t moved_bytes() const { return 0; }
  /// The scheme that runs, nothing left open; empty of other libraries.
  virtual std::string scheme() const { return ""; }
  /// What ran, where name and scheme do not say it all.
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
