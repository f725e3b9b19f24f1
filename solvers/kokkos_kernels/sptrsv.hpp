// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "kernels_handle.hpp"

namespace heddle::kk {

/// Sets the triangle, whatever the handle held before: row_map has rows + 1 offsets, entries the
/// columns, in any order. The first values, given to sptrsv_numeric or sptrsv_solve, start the
/// inspection; sptrsv_symbolic with values inspects at once. Throws Error if the number of rows is
/// not the handle's.
template <ExecutionSpace Exec, class Handle, class RowMap, class Entries>
  requires is_kernels_handle<Handle>
void sptrsv_symbolic(const Exec&, Handle* handle, const RowMap& row_map, const Entries&) {
  static_assert(std::same_as<Exec, typename Handle::HandleExecSpace>,
                "the handle is of another execution space");
  auto& sptrsv = handle->sptrsv_handle();
  sptrsv.begin(row_map.extent(0));
}

/// Sets the triangle and inspects it with these values: allocates, and waits for `exec`. Throws
/// Error, naming the row, if it is not a valid triangle: see SptrsvPlan.
template <ExecutionSpace Exec, class Handle, class RowMap, class Entries, class Values>
  requires is_kernels_handle<Handle>
void sptrsv_symbolic(const Exec& exec, Handle* handle, const RowMap& row_map,
                     const Entries& entries, const Values& values) {
  static_assert(std::same_as<Exec, typename Handle::HandleExecSpace>,
                "the handle is of another execution space");
  auto& sptrsv = handle->sptrsv_handle();
  sptrsv.inspect(exec, sptrsv.triangle(row_map, entries, values));
}

/// Takes new values of the inspected pattern (or inspects it, with the first ones); they hold until
/// the next call, so later solves do not take their values. Kokkos Kernels has no such function and
/// needs none. Ordered on `exec`; no wait and no allocation, except with the first values. Throws
/// Error if sizes differ from those inspected.
template <ExecutionSpace Exec, class Handle, class RowMap, class Entries, class Values>
  requires is_kernels_handle<Handle>
void sptrsv_numeric(const Exec& exec, Handle* handle, const RowMap& row_map, const Entries& entries,
                    const Values& values) {
  static_assert(std::same_as<Exec, typename Handle::HandleExecSpace>,
                "the handle is of another execution space");
  auto& sptrsv = handle->sptrsv_handle();
  sptrsv.take_values(exec, sptrsv.triangle(row_map, entries, values));
}

/// Solves T x = b. b and x are of rank 1, or of rank 2 with equal numbers of vectors, in any
/// layout; x may be b. The pattern is that of sptrsv_symbolic. The values are those of the last
/// sptrsv_numeric or, with SPTRSV_CUSPARSE, of the last sptrsv_symbolic; if there was none, each
/// solve takes the values given here.
///
/// Queued on `exec`, except for the first solve with a triangle that is not inspected yet: no
/// allocation, no copy, no fence. Bitwise reproducible for a fixed scheme. Throws Error if shapes
/// do not fit.
template <ExecutionSpace Exec, class Handle, class RowMap, class Entries, class Values,
          VectorView B, WritableVectorView X>
  requires is_kernels_handle<Handle>
void sptrsv_solve(const Exec& exec, Handle* handle, const RowMap& row_map, const Entries& entries,
                  const Values& values, const B& b, const X& x) {
  static_assert(std::same_as<Exec, typename Handle::HandleExecSpace>,
                "the handle is of another execution space");
  static_assert(B::rank() == X::rank(), "b and x have the same rank");
  auto& sptrsv = handle->sptrsv_handle();
  sptrsv.solve(exec, sptrsv.triangle(row_map, entries, values), b, x);
}

/// sptrsv_symbolic on the default instance of the handle's execution space.
template <class Handle, class RowMap, class Entries>
  requires is_kernels_handle<Handle>
void sptrsv_symbolic(Handle* handle, const RowMap& row_map, const Entries& entries) {
  kk::sptrsv_symbolic(typename Handle::HandleExecSpace(), handle, row_map, entries);
}

/// sptrsv_symbolic with values on the default instance of the handle's execution space.
template <class Handle, class RowMap, class Entries, class Values>
  requires is_kernels_handle<Handle>
void sptrsv_symbolic(Handle* handle, const RowMap& row_map, const Entries& entries,
                     const Values& values) {
  kk::sptrsv_symbolic(typename Handle::HandleExecSpace(), handle, row_map, entries, values);
}

/// sptrsv_numeric on the default instance of the handle's execution space.
template <class Handle, class RowMap, class Entries, class Values>
  requires is_kernels_handle<Handle>
void sptrsv_numeric(Handle* handle, const RowMap& row_map, const Entries& entries,
                    const Values& values) {
  kk::sptrsv_numeric(typename Handle::HandleExecSpace(), handle, row_map, entries, values);
}

/// sptrsv_solve on the default instance of the handle's execution space.
template <class Handle, class RowMap, class Entries, class Values, VectorView B,
          WritableVectorView X>
  requires is_kernels_handle<Handle>
void sptrsv_solve(Handle* handle, const RowMap& row_map, const Entries& entries,
                  const Values& values, const B& b, const X& x) {
  kk::sptrsv_solve(typename Handle::HandleExecSpace(), handle, row_map, entries, values, b, x);
}

/// Several solves, each with an instance and a handle of its own, queued one after the other.
/// Throws Error unless the lists have equal lengths.
template <ExecutionSpace Exec, class Handle, class RowMap, class Entries, class Values,
          VectorView B, WritableVectorView X>
void sptrsv_solve_streams(const std::vector<Exec>& execs, const std::vector<Handle*>& handles,
                          const std::vector<RowMap>& row_maps, const std::vector<Entries>& entries,
                          const std::vector<Values>& values, const std::vector<B>& b,
                          const std::vector<X>& x) {
  const std::size_t n = execs.size();
  for (const std::size_t size :
       {handles.size(), row_maps.size(), entries.size(), values.size(), b.size(), x.size()}) {
    if (size != n) {
      throw Error("lists have " + std::to_string(n) + " and " + std::to_string(size) + " entries",
                  "give one of each for every instance");
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    kk::sptrsv_solve(execs[i], handles[i], row_maps[i], entries[i], values[i], b[i], x[i]);
  }
}

/// The namespace of these names in Kokkos Kernels; of the solves before 4.7 only.
namespace Experimental {
using kk::KokkosKernelsHandle;
using kk::sptrsv_solve;
using kk::sptrsv_solve_streams;
using kk::sptrsv_symbolic;
using kk::SPTRSVAlgorithm;
using kk::SPTRSVHandle;
}  // namespace Experimental

}  // namespace heddle::kk
