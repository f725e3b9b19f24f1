// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <utility>

#include "../../../backends/launch.hpp"
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

  KOKKOS_FORCEINLINE_FUNCTION std::int32_t begin(std::int64_t p) const {
    return p > 0 ? ends[p - 1] : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION S scaled(const S& sum) const {
    return alpha == S(1) ? sum : alpha * sum;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    S sum(0);
    for (std::int32_t j = begin(p); j < ends[p]; ++j) {
      const Factors factors = list[j];
      sum += a[factors.a] * b[factors.b];
    }
    values[p] = scaled(sum);
  }
};

/// The same for entries of many products: a subwarp fetches those of as many entries as it has
/// lanes side by side, and each lane adds up its own.
template <Scalar S, int Width>
struct SumsOfList {
  using Scratch = backends::DynamicScratch;
  using Shape = backends::Shape<Width, 4 * Width>;
  static constexpr int tile = 4 * Width;  // products that a subwarp holds at a time
  static constexpr std::size_t scratch_bytes =
      backends::scratch_bytes<S, S>(4 * static_cast<std::size_t>(tile), 4 * std::size_t{tile});

  SumOfList<S> of;
  std::int64_t entries;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const auto subwarp = team.subwarp();
    const int me = team.subwarp_index();
    S* const a = scratch.template take<S>(Team::subwarps * tile) + me * tile;
    S* const b = scratch.template take<S>(Team::subwarps * tile) + me * tile;
    const std::int64_t first = (team.index() * Team::subwarps + me) * Width;
    if (first >= entries) return;
    const std::int64_t last = first + Width < entries ? first + Width : entries;
    const std::int64_t p = first + subwarp.lane() < last ? first + subwarp.lane() : last;
    const std::int32_t begin = of.begin(p), end = p < last ? of.ends[p] : begin;
    const std::int32_t stop = of.ends[last - 1];
    S sum(0);
    for (std::int32_t from = of.begin(first); from < stop; from += tile) {
      const std::int32_t to = stop - from < tile ? stop : from + tile;
      for (std::int32_t j = from + subwarp.lane(); j < to; j += Width) {
        const Factors factors = of.list[j];
        a[j - from] = of.a[factors.a];
        b[j - from] = of.b[factors.b];
      }
      subwarp.sync();
      const std::int32_t until = end < to ? end : to;
      for (std::int32_t j = begin > from ? begin : from; j < until; ++j) {
        sum += a[j - from] * b[j - from];
      }
      subwarp.sync();
    }
    if (p < last) of.values[p] = of.scaled(sum);
  }
};

/// Of every entry of C the products that it adds up, in the order of A's row, so that new values
/// search for nothing: 8 bytes a product and 4 an entry. Empty where an entry has so many that one
/// thread should not walk them, and where 32 bits do not count them all.
template <ExecutionSpace Exec>
class ProductList {
 public:
  static constexpr std::int32_t most_of_an_entry = 65536;

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
    apart_ = products <= few * entries && most <= 32 * few;
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
    const SumOfList<S> of{list_, ends_, a, b, values, alpha};
    if (apart_ || !backends::has_lanes<Exec>) {
      detail::parallel_for(exec, "heddle::multiply::sum_of_list", entries, of);
    } else {
      using Sums = SumsOfList<S, backends::max_subwarp_width<Exec>>;
      using Team = backends::Team<Exec, typename Sums::Shape>;
      backends::launch<typename Sums::Shape>(
          exec, "heddle::multiply::sums_of_list",
          ceil_div(entries, std::int64_t{Team::subwarps} * Team::subwarp_width), Sums{of, entries},
          Sums::scratch_bytes);
    }
  }

 private:
  using Space = typename Exec::memory_space;
  /// Products of an entry, in the mean, that a thread reads as fast by itself.
  static constexpr std::int64_t few = 3;

  bool apart_ = true;
  Arena<Space> memory_, ends_memory_;
  Factors* list_ = nullptr;
  std::int32_t* ends_ = nullptr;
};

}  // namespace heddle::detail::matrix_product
