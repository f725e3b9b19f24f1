// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/loops.hpp"
#include "fill_blocks_kernel.hpp"
#include "group_table.hpp"

namespace heddle::detail::sptrsv {

template <Ordinal O, Offset Off>
struct CountInner {
  const Off* row_ptr;
  const O* needed;
  const O* group_of;
  const Group* groups;
  Off* inner;             ///< entries inside of each place's group
  std::uint32_t* inside;  ///< of each place: a bit a row of its group that it needs

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const auto first = static_cast<O>(groups[group_of[p]].first);
    Off count = 0;
    std::uint32_t needs = 0;
    for (Off k = row_ptr[p]; k < row_ptr[p + 1]; ++k) {
      if (needed[k] < first) continue;
      ++count;
      needs |= std::uint32_t{1} << static_cast<int>(needed[k] - first);
    }
    inside[p] = needs;
    inner[p] = count;
  }
};

struct CoupleGroups {
  Group* groups;
  const std::uint32_t* inside;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    Group& group = groups[g];
    for (std::int64_t p = group.first; p < group.first + group.rows; ++p) {
      group.coupled = group.coupled || inside[p] != 0;
    }
  }
};

struct BeginBlocks {
  Group* groups;
  std::int64_t count;
  int blocks;  ///< of each group that has any
  std::int64_t* block_entries;

  KOKKOS_FUNCTION void operator()(std::int64_t g, std::int64_t& sum, bool last) const {
    if (last) (g < count ? groups[g].first_block : *block_entries) = sum;
    sum += g < count && groups[g].coupled ? blocks * block_size(groups[g].rows) : 0;
  }
};

template <Ordinal O, Offset Off>
struct FillInner {
  const Off* row_ptr;
  const O* needed;
  const Off* from_source;
  const O* group_of;
  const Group* groups;
  const Off* inner_ptr;
  std::uint8_t* column;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const auto first = static_cast<O>(groups[group_of[p]].first);
    Off to = inner_ptr[p];
    for (Off k = row_ptr[p]; k < row_ptr[p + 1]; ++k) {
      if (needed[k] < first) continue;
      column[to] = static_cast<std::uint8_t>(needed[k] - first);
      source[to] = from_source[k];
      ++to;
    }
  }
};

/// The dense blocks of all groups: where a group's rows need each other, and the diagonal.
template <ExecutionSpace Exec, Ordinal O, Offset Off, Scalar Acc>
class DenseBlocks {
 public:
  using Space = typename Exec::memory_space;
  using Pattern = triangle::OrderedPattern<Exec, O, Off>;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  DenseBlocks() = default;

  /// Two allocations and a readback between them; waits. Fills in which groups have blocks, and
  /// where. No values yet; `invert`: inverses follow the blocks.
  DenseBlocks(const Exec& exec, const Pattern& pattern, const GroupTable<Exec>& groups,
              const GroupOfPlaces<Exec, O>& group_of, bool invert)
      : invert_(invert) {
    const auto places = static_cast<std::size_t>(pattern.rows());
    const auto count = static_cast<std::size_t>(groups.count());
    memory_ = Arena<Space>(
        exec, "heddle::sptrsv::inside",
        arena_bytes<Off, std::uint32_t, std::uint8_t, std::int64_t>(places + 1, places, count, 1));
    inner_ptr_ = memory_.template take<Off>(places + 1);
    inside_ = memory_.template take<std::uint32_t>(places);
    inverted_ = memory_.template take<std::uint8_t>(count);
    const auto block_entries = memory_.template take<std::int64_t>(1);
    this->count(exec, pattern, groups, group_of, block_entries);
    Off inner = 0;
    std::int64_t entries = 0;
    Kokkos::deep_copy(kokkos_space(exec), inner, Kokkos::subview(inner_ptr_, places));
    Kokkos::deep_copy(kokkos_space(exec), entries, Kokkos::subview(block_entries, 0));
    exec.fence("heddle::sptrsv::inner_entries");
    const auto inner_entries = static_cast<std::size_t>(inner);
    const auto of_blocks = static_cast<std::size_t>(entries);
    entry_memory_ =
        Arena<Space>(exec, "heddle::sptrsv::blocks",
                     arena_bytes<std::uint8_t, Off, Acc>(inner_entries, inner_entries, of_blocks));
    column_ = entry_memory_.template take<std::uint8_t>(inner_entries);
    source_ = entry_memory_.template take<Off>(inner_entries);
    values_ = entry_memory_.template take<Acc>(of_blocks);
    fill(exec, pattern, groups, group_of);
  }

  /// One launch, a subwarp a group; diagonal[p] is of place p, or null for ones.
  template <class Matrix, Scalar D>
  void update_values(const Exec& exec, const Matrix& T, const GroupTable<Exec>& groups,
                     const D* diagonal) {
    using Kernel = FillBlocksKernel<typename Matrix::scalar_type, Off, Acc, D>;
    backends::launch<backends::Shape<most_rows, most_rows>>(
        exec, "heddle::sptrsv::fill_blocks", groups.count(),
        Kernel{groups.groups(), inner_ptr_.data(), column_.data(), source_.data(),
               T.values().data(), diagonal, values_.data(), invert_ ? inverted_.data() : nullptr},
        Kernel::scratch_bytes());
  }

  const Acc* values() const { return values_.data(); }
  const std::uint32_t* inside() const { return inside_.data(); }
  const std::uint8_t* inverted() const { return invert_ ? inverted_.data() : nullptr; }
  std::size_t bytes() const { return memory_.bytes() + entry_memory_.bytes(); }

 private:
  void count(const Exec& exec, const Pattern& pattern, const GroupTable<Exec>& groups,
             const GroupOfPlaces<Exec, O>& group_of, const Array<std::int64_t>& block_entries) {
    const std::int64_t count = groups.count();
    Kokkos::parallel_for(
        "heddle::sptrsv::count_inner", range_policy(exec, pattern.rows()),
        CountInner<O, Off>{pattern.row_ptr().data(), pattern.needed().data(), group_of.data(),
                           groups.groups(), inner_ptr_.data(), inside_.data()});
    Kokkos::parallel_for("heddle::sptrsv::coupled", range_policy(exec, count),
                         CoupleGroups{groups.groups(), inside_.data()});
    Kokkos::parallel_scan(
        "heddle::sptrsv::first_block", range_policy(exec, count + 1),
        BeginBlocks{groups.groups(), count, invert_ ? 2 : 1, block_entries.data()});
    running_sum<Off>(exec, "heddle::sptrsv::inner_ptr", inner_ptr_.data(), pattern.rows(),
                     Terms<Off>{inner_ptr_.data()});
  }

  void fill(const Exec& exec, const Pattern& pattern, const GroupTable<Exec>& groups,
            const GroupOfPlaces<Exec, O>& group_of) {
    Kokkos::parallel_for(
        "heddle::sptrsv::inner", range_policy(exec, pattern.rows()),
        FillInner<O, Off>{pattern.row_ptr().data(), pattern.needed().data(),
                          pattern.source().data(), group_of.data(), groups.groups(),
                          inner_ptr_.data(), column_.data(), source_.data()});
  }

  bool invert_ = false;
  Arena<Space> memory_, entry_memory_;
  Array<Off> inner_ptr_, source_;
  Array<std::uint8_t> column_, inverted_;
  Array<std::uint32_t> inside_;
  Array<Acc> values_;
};

}  // namespace heddle::detail::sptrsv
