// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "types.hpp"

/// Short loops that many places need.
///
/// What a kernel does is a class at namespace scope and never a KOKKOS_LAMBDA: for one that host and
/// device may call, nvcc keeps how it is copied in variables that each translation unit has of its
/// own, while the functions around it are merged when the program is linked. A function of one unit
/// then copies the lambda through the variables of another, which are null.
namespace heddle::detail {

template <class T>
struct Fill {
  T* to;
  T value;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = value; }
};

template <class T, class Index>
struct Gather {
  T* to;
  const T* from;
  const Index* source;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[source[i]]; }
};

/// to[i] = value for each i < n.
template <ExecutionSpace Exec, class T>
void fill(const Exec& exec, const std::string& label, T* to, std::int64_t n, T value) {
  Kokkos::parallel_for(label, range_policy(exec, n), Fill<T>{to, value});
}

/// to[i] = from[source[i]] for each i < n.
template <ExecutionSpace Exec, class T, class Index>
void gather(const Exec& exec, const std::string& label, T* to, std::int64_t n, const T* from,
            const Index* source) {
  Kokkos::parallel_for(label, range_policy(exec, n), Gather<T, Index>{to, from, source});
}

}  // namespace heddle::detail
