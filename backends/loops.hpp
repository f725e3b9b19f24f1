// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <type_traits>

#include "graph.hpp"
#include "launch.hpp"

/// Short loops that many places need.
///
/// A kernel is a class at namespace scope and never a KOKKOS_LAMBDA: for one that host and device
/// may call, nvcc stores how to copy it in variables that each translation unit has of its own,
/// while the functions around it are merged when the program is linked. A function of one unit then
/// copies the lambda through the variables of another, which are null.
namespace heddle::detail {

template <class T>
struct Fill {
  T* to;
  T value;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = value; }
};

template <class T>
struct Copy {
  T* to;
  const T* from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i]; }
};

template <class T, class Index>
struct Gather {
  T* to;
  const T* from;
  const Index* source;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[source[i]]; }
};

/// The elements of an array, as terms of a sum.
template <class T>
struct Terms {
  const T* terms;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const { return terms[i]; }
};

template <class To, class Sum, class AnyTerms>
struct RunningSum {
  To* to;
  std::int64_t n;
  AnyTerms terms;

  HEDDLE_NO_EXECUTION_CHECK
  KOKKOS_FUNCTION void operator()(std::int64_t i, Sum& sum, bool last) const {
    const Sum term = i < n ? static_cast<Sum>(terms(i)) : Sum(0);
    if (last) to[i] = static_cast<To>(sum);
    sum += term;
  }
};

/// A loop as a launch of teams: one item a thread. Items hide each other's latency, so the compiler
/// must not spend registers as if one team were enough: nvcc took 80 for a sum of listed products,
/// and takes 32 without that bound.
template <class Body>
struct LoopInTeams {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<1, 256, 0>;

  std::int64_t first, stop;
  Body body;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t i = first + team.index() * Shape::team_threads + team.thread();
    if (i < stop) body(i);
  }
};

/// Calls body(i) for each first <= i < stop. The loops of an apply use it and not Kokkos' own,
/// since a graph records only launches of backends/. An emulated device has a member of its own for
/// loops, whose items need no lanes.
template <ExecutionSpace Exec, class Body>
void parallel_for(const Exec& exec, const std::string& label, std::int64_t first, std::int64_t stop,
                  const Body& body) {
  if constexpr (requires { exec.parallel_for(label, first, stop, body); }) {
    exec.parallel_for(label, first, stop, body);
  } else if constexpr (backends::Graph<Exec>::exists) {
    using Loop = LoopInTeams<Body>;
    backends::launch<typename Loop::Shape>(
        exec, label.c_str(), ceil_div(stop - first, std::int64_t{Loop::Shape::team_threads}),
        Loop{first, stop, body});
  } else {
    if constexpr (backends::BackendIs<Exec, backends::Host>) {
      if (backends::OneThread::is_wanted()) {
        const backends::ProfiledKernel profiled(exec, label.c_str());
        for (std::int64_t i = first; i < stop; ++i) body(i);
        return;
      }
    }
    Kokkos::parallel_for(label, range_policy(exec, first, stop), body);
  }
}
/// Calls body(i) for each i < n.
template <ExecutionSpace Exec, class Body>
void parallel_for(const Exec& exec, const std::string& label, std::int64_t n, const Body& body) {
  parallel_for(exec, label, 0, n, body);
}

/// Fill: to[i] = value for each i < n.
template <ExecutionSpace Exec, class T>
void fill(const Exec& exec, const std::string& label, T* to, std::int64_t n,
          std::type_identity_t<T> value) {
  parallel_for(exec, label, n, Fill<T>{to, value});
}

/// Copy: to[i] = from[i] for each i < n.
template <ExecutionSpace Exec, class T>
void copy(const Exec& exec, const std::string& label, T* to, std::int64_t n,
          const std::type_identity_t<T>* from) {
  parallel_for(exec, label, n, Copy<T>{to, from});
}

/// Gather: to[i] = from[source[i]] for each i < n.
template <ExecutionSpace Exec, class T, class Index>
void gather(const Exec& exec, const std::string& label, T* to, std::int64_t n,
            const std::type_identity_t<T>* from, const Index* source) {
  parallel_for(exec, label, n, Gather<T, Index>{to, from, source});
}

/// Exclusive prefix sum: to[i] = terms(0) + ... + terms(i - 1) for each i <= n, may be in place.
template <class Sum = std::int64_t, ExecutionSpace Exec, class To, class AnyTerms>
void running_sum(const Exec& exec, const std::string& label, To* to, std::int64_t n,
                 const AnyTerms& terms) {
  Kokkos::parallel_scan(label, scan_policy(exec, n + 1),
                        RunningSum<To, Sum, AnyTerms>{to, n, terms});
}

/// Exclusive prefix sum, as running_sum; returns to[n] by a readback, which waits for `exec`.
template <class Sum = std::int64_t, ExecutionSpace Exec, class To, class AnyTerms>
Sum running_sum_and_total(const Exec& exec, const std::string& label, To* to, std::int64_t n,
                          const AnyTerms& terms) {
  Sum total = 0;
  Kokkos::parallel_scan(label, scan_policy(exec, n + 1),
                        RunningSum<To, Sum, AnyTerms>{to, n, terms}, total);
  return total;
}

template <class First, class Second>
struct TwoLoops {
  std::int64_t n;
  First first;
  Second second;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i < n) {
      first(i);
    } else {
      second(i - n);
    }
  }
};

/// Calls first(i) for each i < n, and second(i) for each i < m, in one launch.
template <ExecutionSpace Exec, class First, class Second>
void two_loops(const Exec& exec, const std::string& label, std::int64_t n, const First& first,
               std::int64_t m, const Second& second) {
  parallel_for(exec, label, n + m, TwoLoops<First, Second>{n, first, second});
}

}  // namespace heddle::detail
