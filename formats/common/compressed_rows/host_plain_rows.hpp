// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "../../../backends/host/pair_of_sums.hpp"
#include "../../../core/types.hpp"

namespace heddle::detail::compressed_rows {

/// The entry of one vector that nonzero k multiplies. UnitStride: the compiler knows the stride.
template <bool UnitStride, class Operands>
KOKKOS_FORCEINLINE_FUNCTION typename Operands::accumulator_type factor(
    const Operands& operands, typename Operands::offset_type k) {
  const std::int64_t stride = UnitStride ? 1 : operands.x.row_stride;
  return typename Operands::accumulator_type(
      operands.x.data[static_cast<std::int64_t>(operands.column(k)) * stride]);
}

/// Adds the products of nonzeros k and k + 1.
template <bool UnitStride, class Operands>
KOKKOS_FORCEINLINE_FUNCTION void add_two(
    const Operands& operands, typename Operands::offset_type k,
    backends::PairOfSums<typename Operands::accumulator_type>& sums) {
  using Acc = typename Operands::accumulator_type;
  const Acc factor0 = factor<UnitStride>(operands, k);
  const Acc factor1 = factor<UnitStride>(operands, k + 1);
  if constexpr (std::is_same_v<typename Operands::scalar_type, Acc> && !is_complex<Acc>) {
    sums.add(operands.values + k, factor0, factor1);
  } else {
    const Acc values[2] = {Acc(operands.value(k)), Acc(operands.value(k + 1))};
    sums.add(values, factor0, factor1);
  }
}

/// Adds up nonzeros [begin, end) times one vector, in four independent sums.
template <bool UnitStride, class Operands>
KOKKOS_FORCEINLINE_FUNCTION typename Operands::accumulator_type sum_of_one_vector(
    const Operands& operands, typename Operands::offset_type begin,
    typename Operands::offset_type end) {
  using Acc = typename Operands::accumulator_type;
  Acc sum(0);
  auto k = begin;
  if (end - begin >= 4) {
    backends::PairOfSums<Acc> first, second;
    for (; end - k >= 4; k += 4) {
      add_two<UnitStride>(operands, k, first);
      add_two<UnitStride>(operands, k + 2, second);
    }
    sum = first.total() + second.total();
  }
  for (; k < end; ++k) sum += Acc(operands.value(k)) * factor<UnitStride>(operands, k);
  return sum;
}

/// Adds up nonzeros [begin, end) for VectorsAtOnce vectors of x.
template <int VectorsAtOnce, class Operands>
KOKKOS_FORCEINLINE_FUNCTION void sum_nonzeros(const Operands& operands,
                                              typename Operands::offset_type begin,
                                              typename Operands::offset_type end,
                                              typename Operands::accumulator_type* sum) {
  using Acc = typename Operands::accumulator_type;
  if constexpr (VectorsAtOnce == 1) {
    sum[0] = operands.x.row_stride == 1 ? sum_of_one_vector<true>(operands, begin, end)
                                        : sum_of_one_vector<false>(operands, begin, end);
  } else {
    const int count = operands.x.count;
    for (int c = 0; c < VectorsAtOnce; ++c) sum[c] = Acc(0);
    for (auto k = begin; k < end; ++k) {
      const auto value = operands.value(k);
      const auto column = operands.column(k);
      for (int c = 0; c < count; ++c) sum[c] += operands.product(value, column, c);
    }
  }
}

/// Rows of A times up to `vectors` vectors of any stride and type: plain loops. The sum of a row is
/// spread over several accumulators, so that an addition need not wait for the one before.
template <class Operands, int VectorsAtOnce>
struct HostPlainRows {
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;
  static constexpr int vectors = VectorsAtOnce;

  KOKKOS_FORCEINLINE_FUNCTION void sum_nonzeros(const Operands& A, Off begin, Off end,
                                                Acc* sum) const {
    compressed_rows::sum_nonzeros<VectorsAtOnce>(A, begin, end, sum);
  }

  /// Stores y of rows [first, stop). A is a copy, which no store to y can change, so it stays in
  /// registers.
  KOKKOS_FORCEINLINE_FUNCTION void store_rows(Operands A, std::int64_t first,
                                              std::int64_t stop) const {
    auto k = A.row_ptr[first];
    for (std::int64_t row = first; row < stop;) {
      // Hypersparse rows are mostly empty, and the loop below would mispredict at every nonzero.
      const std::int64_t group = row + 8 < stop ? row + 8 : stop;
      if (A.row_ptr[group] == k) {
        const Acc nothing[VectorsAtOnce] = {};
        for (; row < group; ++row) store(A, row, nothing);
      }
      for (; row < group; ++row) {
        const auto row_end = A.row_ptr[row + 1];
        Acc sum[VectorsAtOnce];
        sum_nonzeros(A, k, row_end, sum);
        k = row_end;
        store(A, row, sum);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void store(const Operands& A, std::int64_t row,
                                                const Acc* sum) {
    const int count = VectorsAtOnce == 1 ? 1 : A.x.count;
    for (int c = 0; c < count; ++c) A.store(static_cast<O>(row), c, sum[c]);
  }
};

}  // namespace heddle::detail::compressed_rows
