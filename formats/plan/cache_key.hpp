// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <type_traits>

#include "../../core/hash.hpp"
#include "../choose.hpp"
#include "../inspect/pattern.hpp"

namespace heddle::detail {

/// Adds up bits of every place of row_ptr and col_idx, in any order.
template <Ordinal O, Offset Off>
struct FingerprintKernel {
  const Off* row_ptr;
  const O* col_idx;
  std::int64_t rows;
  std::int64_t nonzeros;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const {
    const auto place = static_cast<std::uint64_t>(i);
    if (i <= rows) sum += hash_of(~hash_of(place) ^ static_cast<std::uint64_t>(row_ptr[i]));
    if (i < nonzeros) sum += hash_of(hash_of(place) ^ static_cast<std::uint64_t>(col_idx[i]));
  }
};

/// Bits of a pattern: one pass over it. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
std::uint64_t fingerprint(const Exec& exec, const CsrPattern<O, Off, Space>& A) {
  const auto rows = std::int64_t{A.rows()}, nonzeros = static_cast<std::int64_t>(A.nonzeros());
  if (A.row_ptr().extent(0) == 0) return 0;
  std::uint64_t bits = 0;
  Kokkos::parallel_reduce(
      "heddle::spmv::fingerprint", range_policy(exec, std::max(rows + 1, nonzeros)),
      FingerprintKernel<O, Off>{A.row_ptr().data(), A.col_idx().data(), rows, nonzeros}, bits);
  return bits;
}

template <Scalar S>
std::string type_text() {
  return (std::is_floating_point_v<S> ? "real" : "complex") + std::to_string(8 * sizeof(S));
}

/// All that a choice depends on but the values, as one line: TuningCache.
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
std::string cache_key(const Exec& exec, const Matrix& A, const RowFeatures& rows,
                      const Device& device, AnyFormats formats, const ChooseOptions& options) {
#ifdef HEDDLE_VERSION  // by every public header
  std::string key = "heddle " HEDDLE_VERSION ";";
#else
  std::string key = "heddle;";
#endif
  for (const FormatRules& format : formats) key += " " + std::string(format.name);
  key += "; " + type_text<typename Matrix::scalar_type>() + " " + type_text<Vector>() + " " +
         type_text<Accumulator>() + " " + std::to_string(8 * options.sizes.ordinal_bytes) + " " +
         std::to_string(8 * options.sizes.offset_bytes);
  key += "; " + std::string(Exec::name()) + " " + device.name + " " +
         std::to_string(device.multiprocessors) + " " + std::to_string(exec.concurrency());
  key += "; " + std::to_string(rows.rows) + " x " + std::to_string(rows.columns) + " " +
         std::to_string(rows.nonzeros) + " " + std::to_string(fingerprint(exec, A));
  key += "; " + std::to_string(options.expected_applies) + " applies " +
         std::to_string(options.sizes.vectors.count) +
         (options.sizes.vectors.apart ? " apart" : " side by side");
  for (const Op op : options.ops) key += std::string(" ") + name(op);
  if (options.values_in_place) key += " in place";
  if (options.max_bytes != no_bound) key += " bytes " + std::to_string(options.max_bytes);
  key += " symmetry " + std::to_string(static_cast<int>(options.sizes.symmetry));
  for (char& c : key) {
    if (c == '\t' || c == '\n') c = ' ';
  }
  return key;
}

}  // namespace heddle::detail
