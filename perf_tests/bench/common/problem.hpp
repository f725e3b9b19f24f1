// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base classes of the problems and contestants of every operation.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../../core/matrix.hpp"
#include "../../../testing/random.hpp"

namespace heddle::bench {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Index = std::int32_t;

template <Scalar S, Offset Off>
using HostStorage = CsrStorage<S, Index, Off, Kokkos::HostSpace>;

/// One matrix on the host and on the device: a part of the input of every contestant.
template <Scalar S, Offset Off>
struct MatrixProblem {
  using Matrix = CsrMatrix<S, Index, Off, Space>;

  HostStorage<S, Off> host;
  Matrix A;

  /// Sets both matrices. Waits.
  void take(const Exec& exec, const HostStorage<S, Off>& matrix) {
    host = matrix;
    device_ = host.template copy_to<Space>(exec);
    exec.fence("heddle::bench::copied");
    A = device_.matrix();
  }

 private:
  CsrStorage<S, Index, Off, Space> device_;
};

/// Layout of the vectors of a problem, each allocated as one array without padding.
template <Scalar S>
struct ColumnVectors {
  using Vector = Kokkos::View<S*, Space>;
  template <class Layout>
  using Columns = Kokkos::View<S**, Layout, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  int columns = 1;
  /// Whether several vectors are row-major (layout right), else column-major (layout left).
  bool row_major = false;

  /// A vector viewed as several columns.
  template <class Layout>
  Columns<Layout> as_columns(const Vector& vector) const {
    const auto k = static_cast<std::size_t>(columns);
    return Columns<Layout>(vector.data(), vector.extent(0) / k, k);
  }

  /// Calls use(from, to) with vectors of rank 1 for one column, else of rank 2 in their layout.
  template <class Use>
  auto with_columns(const Vector& from, const Vector& to, const Use& use) const {
    using Left = Kokkos::LayoutLeft;
    using Right = Kokkos::LayoutRight;
    if (columns == 1) return use(from, to);
    if (row_major) return use(as_columns<Right>(from), as_columns<Right>(to));
    return use(as_columns<Left>(from), as_columns<Left>(to));
  }

  /// Copies between host and device; both functions wait.
  template <class Host>
  void copy_in(const Exec& exec, const Vector& device, const Host& host) const {
    if (row_major) {
      const auto rows = row_major_like(host);
      Kokkos::deep_copy(rows, host);
      Kokkos::deep_copy(exec, as_columns<Kokkos::LayoutRight>(device), rows);
    } else {
      Kokkos::deep_copy(exec, as_columns<Kokkos::LayoutLeft>(device), host);
    }
    exec.fence("heddle::bench::copy_in");
  }
  template <class Host>
  void copy_out(const Exec& exec, const Host& host, const Vector& device) const {
    if (row_major) {
      const auto rows = row_major_like(host);
      Kokkos::deep_copy(exec, rows, as_columns<Kokkos::LayoutRight>(device));
      exec.fence("heddle::bench::copy_out");
      Kokkos::deep_copy(host, rows);
    } else {
      Kokkos::deep_copy(exec, host, as_columns<Kokkos::LayoutLeft>(device));
      exec.fence("heddle::bench::copy_out");
    }
  }

 private:
  using RowMajor = Kokkos::View<S**, Kokkos::LayoutRight, Kokkos::HostSpace>;

  template <class Host>
  static RowMajor row_major_like(const Host& host) {
    return RowMajor("heddle::bench::rows", host.extent(0), host.extent(1));
  }
};

/// Vectors of a problem with a square matrix to solve with: rows x columns each, without padding.
template <Scalar S>
struct SolveVectors : ColumnVectors<S> {
  typename ColumnVectors<S>::Vector b, x;
  test::HostColumns<S> host_b;

  /// Allocates both and copies b from the host; x is zero.
  void make_vectors(const Exec& exec, const test::HostColumns<S>& of_b) {
    host_b = of_b;
    b = decltype(b)("heddle::bench::b", host_b.size());
    x = decltype(x)("heddle::bench::x", host_b.size());
    this->copy_in(exec, b, host_b);
  }
  /// A copy of x on the host. Waits.
  test::HostColumns<S> host_x(const Exec& exec) const {
    const test::HostColumns<S> columns("heddle::bench::x", host_b.extent(0), host_b.extent(1));
    this->copy_out(exec, columns, x);
    return columns;
  }
  /// Calls use(b, x) with vectors of rank 1 for one column, else of rank 2 in their layout.
  template <class Use>
  auto with_vectors(const Use& use) const {
    return this->with_columns(b, x, use);
  }
};

/// Interface of everything that is set up for a problem.
class SetUp {
 public:
  virtual ~SetUp() = default;
  /// Bytes that the set-up keeps, without the CSR arrays.
  virtual std::size_t bytes() const { return 0; }
  /// Bytes that one apply reads and writes, none of them for beta; 0 if unknown.
  virtual std::size_t moved_bytes() const { return 0; }
  /// The scheme that runs, with all its parameters; empty for other libraries.
  virtual std::string scheme() const { return ""; }
  /// Details of the run that name and scheme do not have.
  virtual std::string note() const { return ""; }
  /// Whether it allocates through Kokkos, so that its allocations can be logged and timed alone.
  virtual bool allocates_through_kokkos() const { return true; }
  /// Whether update_values accepts new values of the same pattern.
  virtual bool updates() const { return false; }
  virtual void update_values(const Exec&) {}
};

/// Something that is set up to be timed.
class Contestant : public SetUp {
 public:
  /// Enqueues one apply, which is timed.
  virtual void run(const Exec& exec) = 0;
};

/// A plan of Heddle as a contestant of a problem. An operation derives from it what it runs.
template <class Problem, class Plan>
class PlanContestant : public Problem::Contestant {
 public:
  template <class... Arguments>
  explicit PlanContestant(const Problem& problem, const Arguments&... arguments)
      : problem_(problem), plan_(arguments...) {}

  std::size_t bytes() const override { return plan_.bytes(); }
  std::size_t moved_bytes() const override {
    if constexpr (requires { plan_.moved_bytes(Op::none, 1); }) {
      return static_cast<std::size_t>(plan_.moved_bytes(Op::none, problem_.columns));
    }
    return 0;
  }
  std::string scheme() const override {
    if constexpr (requires { plan_.scheme(); }) return plan_.scheme().to_string();
    return "";
  }

 protected:
  Problem problem_;
  Plan plan_;
};

/// A library that Heddle is compared with. `setup` does all that can be done before the first
/// apply; it throws heddle::Error if the library does not support the problem.
template <class Problem>
struct Baseline {
  std::string name;
  std::string description;
  std::function<std::unique_ptr<typename Problem::Contestant>(const Exec&, const Problem&)> setup;
};

/// The baselines that are compiled in for a problem of one pair of types. A file of
/// perf_tests/baselines/ adds its own from a static initializer.
template <class Problem>
std::vector<Baseline<Problem>>& baselines() {
  static std::vector<Baseline<Problem>> list;
  return list;
}

template <class Problem>
bool add_baseline(Baseline<Problem> baseline) {
  baselines<Problem>().push_back(std::move(baseline));
  return true;
}

/// Adds a baseline that is Made(exec, problem, arguments...), or the same without `exec`.
template <class Made, class Problem, class... Arguments>
bool add_contestant(const std::string& name, const std::string& description,
                    Arguments... arguments) {
  using Contestant = typename Problem::Contestant;
  return add_baseline<Problem>(
      {name, description,
       [=](const Exec& exec, const Problem& problem) -> std::unique_ptr<Contestant> {
         if constexpr (std::constructible_from<Made, const Exec&, const Problem&, Arguments...>) {
           return std::make_unique<Made>(exec, problem, arguments...);
         } else {
           return std::make_unique<Made>(problem, arguments...);
         }
       }});
}

}  // namespace heddle::bench
