// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <utility>

#include "../../../core/loops.hpp"
#include "sums.hpp"

namespace heddle::detail::matrix_product {

/// Entries of A and of B that are multiplied.
struct Factors {
  std::int32_t a, b;
};

/// How many products each entry of C adds up.
template <Ordinal O, Offset OffA, Offset OffB, Offset OffC>
struct CountedProducts {
  using Sum = std::int32_t;
  using Factor = std::int64_t;

  PatternOperand<O, OffA> A;
  PatternOperand<O, OffB> B;
  PatternOperand<O, OffC> C;
  std::int32_t* sums;

  KOKKOS_FORCEINLINE_FUNCTION Sum start(std::int64_t) const { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION Factor factor(std::int64_t k) const { return k; }
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum& sum, Factor, std::int64_t) const { ++sum; }
  KOKKOS_FORCEINLINE_FUNCTION Sum finish(Sum sum) const { return sum; }
};

/// Writes them down, entry of C after entry of C; sums are where an entry's begin, and then where
/// they end.
template <Ordinal O, Offset OffA, Offset OffB, Offset OffC>
struct ListedProducts : CountedProducts<O, OffA, OffB, OffC> {
  using typename CountedProducts<O, OffA, OffB, OffC>::Sum;
  using typename CountedProducts<O, OffA, OffB, OffC>::Factor;

  Factors* list;

  KOKKOS_FORCEINLINE_FUNCTION Sum start(std::int64_t p) const { return this->sums[p]; }
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum& place, Factor k, std::int64_t l) const {
    list[place++] = {static_cast<std::int32_t>(k), static_cast<std::int32_t>(l)};
  }
};

struct MostOfCounts {
  const std::int32_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t p, std::int32_t& most) const {
    if (counts[p] > most) most = counts[p];
  }
};

/// An entry of C from its list, a thread each.
template <Scalar S>
struct SumOfList {
  const Factors* list;
  const std::int32_t* ends;
  const S* a;
  const S* b;
  S* values;
  S alpha;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    S sum(0);
    for (std::int32_t j = p > 0 ? ends[p - 1] : 0; j < ends[p]; ++j) {
      const Factors factors = list[j];
      sum += a[factors.a] * b[factors.b];
    }
    values[p] = alpha == S(1) ? sum : alpha * sum;
  }
};

/// Of every entry of C the products that it adds up, in the order of A's row, so that new values
/// search for nothing: 8 bytes a product and 4 an entry. Empty where an entry has so many that one
/// thread should not walk them, and where 32 bits do not count them all.
template <ExecutionSpace Exec>
class ProductList {
 public:
  static constexpr std::int32_t most_of_an_entry = 2048;

  ProductList() = default;

  static std::size_t bytes_for(std::int64_t products, std::int64_t entries) {
    return arena_bytes<Factors, std::int32_t>(products, entries + 1);
  }
  /// Whether 32 bits count so many.
  static bool fits(std::int64_t products, std::int64_t entries_of_A, std::int64_t entries_of_B) {
    return std::in_range<std::int32_t>(std::max({products, entries_of_A, entries_of_B}));
  }

  /// walk(label, label of long rows, work) goes over all products. Waits for `exec`.
  template <Ordinal O, Offset OffA, Offset OffB, Offset OffC, class Walk>
  ProductList(const Exec& exec, const PatternOperand<O, OffA>& A, const PatternOperand<O, OffB>& B,
              const PatternOperand<O, OffC>& C, std::int64_t products, std::int64_t entries,
              const Walk& walk) {
    const auto n = static_cast<std::size_t>(entries) + 1;
    ends_memory_ = Arena<Space>(exec, "heddle::multiply::ends", arena_bytes<std::int32_t>(n));
    ends_ = ends_memory_.template take<std::int32_t>(n).data();
    const CountedProducts<O, OffA, OffB, OffC> counted{A, B, C, ends_};
    walk("heddle::multiply::count_of_entry", "heddle::multiply::long_count_of_entry", counted);
    std::int32_t most = 0;
    Kokkos::parallel_reduce("heddle::multiply::most_of_entry", range_policy(exec, entries),
                            MostOfCounts{ends_}, Kokkos::Max<std::int32_t>(most));
    if (most > most_of_an_entry) {
      *this = ProductList();
      return;
    }
    running_sum(exec, "heddle::multiply::places", ends_, entries, Terms<std::int32_t>{ends_});
    const auto count = static_cast<std::size_t>(products);
    memory_ = Arena<Space>(exec, "heddle::multiply::list", arena_bytes<Factors>(count));
    list_ = memory_.template take<Factors>(count).data();
    walk("heddle::multiply::list", "heddle::multiply::long_list",
         ListedProducts<O, OffA, OffB, OffC>{counted, list_});
  }

  explicit operator bool() const { return list_ != nullptr; }
  std::size_t bytes() const { return memory_.bytes() + ends_memory_.bytes(); }

  template <Scalar S>
  void sum(const Exec& exec, const S* a, const S* b, S* values, std::int64_t entries,
           S alpha) const {
    detail::parallel_for(exec, "heddle::multiply::sum_of_list", entries,
                         SumOfList<S>{list_, ends_, a, b, values, alpha});
  }

 private:
  using Space = typename Exec::memory_space;

  Arena<Space> memory_, ends_memory_;
  Factors* list_ = nullptr;
  std::int32_t* ends_ = nullptr;
};

}  // namespace heddle::detail::matrix_product
