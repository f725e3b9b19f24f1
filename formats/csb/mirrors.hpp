// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../common/refusal.hpp"
#include "mirror_kernels.hpp"

namespace heddle::detail::csb {

/// Of a matrix of which one triangle is stored: which blocks' mirror images leave partial sums, and
/// where. None are stored of `two` and `atomics`.
template <ExecutionSpace Exec, class View>
class Mirrors {
 public:
  using Space = typename Exec::memory_space;
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;

  Mirrors() = default;

  /// `wanted` is Sweeps, or none for those that move least. A workspace of 16 bytes a block, which
  /// is freed; two readbacks. Throws Refusal where what is `wanted` would need partial sums of more
  /// than `most_width` places.
  Mirrors(const Exec& exec, const View& view, std::int64_t blocks, std::int64_t panels,
          const Off* order, const Off* panel_ptr, std::optional<Sweeps> wanted,
          const SweepCosts& costs, double most_width)
      : blocks_(blocks) {
    sweeps_ = wanted.value_or(Sweeps::two);
    if (wanted == Sweeps::two || wanted == Sweeps::atomics) return;
    const auto count = static_cast<std::size_t>(blocks);
    Arena<Space> work(exec, "heddle::spmv::csb_spans",
                      arena_bytes<Span, std::int64_t>(count, count + 1));
    const auto spans = work.template take<Span>(count);
    const auto before = work.template take<std::int64_t>(count + 1);
    constexpr int width = backends::has_lanes<Exec> ? 32 : 1, threads = 128;
    const int subwarps = backends::has_lanes<Exec> ? threads / width : 1;
    backends::launch<backends::Shape<width, threads>>(
        exec, "heddle::spmv::csb_spans", ceil_div<std::int64_t>(blocks, subwarps),
        SpansKernel<View>{view, blocks, spans.data()});
    MirroredSums sums;
    Kokkos::parallel_reduce("heddle::spmv::csb_mirrored", range_policy(exec, blocks),
                            MirroredSumsKernel<View>{view, costs.heavy(), spans.data()}, sums);
    sweeps_ = wanted.value_or(costs.least(sums, most_width));
    if (sweeps_ == Sweeps::two) return;
    const bool one = sweeps_ == Sweeps::one;
    const BlockSums parts = one ? sums.all : sums.heavy;
    if (static_cast<double>(parts.width) > most_width) {
      throw Refusal("csb: sweep=" + std::string(sweep_names[static_cast<std::size_t>(sweeps_)]) +
                        " would need partial sums for " + std::to_string(parts.width) +
                        " columns of blocks",
                    "leave sweep out, or take sweep=two");
    }
    list(exec, {view, blocks, one ? Heavy::all() : costs.heavy(), spans.data(), order}, panel_ptr,
         panels, parts.blocks, before.data());
  }

  Sweeps sweeps() const { return sweeps_; }
  bool any() const { return parts_count_ > 0; }

  /// Writes where the sums of each part lie, given the pieces of the sweep by block rows, and
  /// returns how many partial sums a vector has. A readback.
  template <class Sweep>
  std::int64_t place(const Exec& exec, const View& view, const Sweep& sweep) const {
    std::int64_t places = 0;
    if (!any()) return places;
    Kokkos::parallel_scan("heddle::spmv::csb_place_parts", range_policy(exec, parts_count_),
                          PlacePartsKernel<View, Sweep>{view, sweep, parts_.data()}, places);
    return places;
  }

  Parts parts() const { return {part_of_.data(), part_ptr_.data(), parts_.data(), widest_}; }
  std::size_t bytes() const { return arena_.bytes(); }
  /// Of the tables, in one pass: the sweep reads them, and what adds up.
  double table_bytes() const {
    return any() ? static_cast<double>(blocks_) * sizeof(std::int64_t) +
                       2.0 * static_cast<double>(parts_count_) * sizeof(Part)
                 : 0;
  }

  /// By the constructor alone; public, as CUDA asks of what launches.
  void list(const Exec& exec, const ListedBlocks<View>& listed, const Off* panel_ptr,
            std::int64_t panels, std::int64_t parts, std::int64_t* before) {
    parts_count_ = parts;
    const auto count = static_cast<std::size_t>(blocks_);
    const auto edges = static_cast<std::size_t>(panels) + 1;
    arena_ = Arena<Space>(exec, "heddle::spmv::csb_parts",
                          arena_bytes<std::int64_t, std::int64_t, Part>(
                              count, edges, static_cast<std::size_t>(parts)));
    part_of_ = arena_.template take<std::int64_t>(count);
    part_ptr_ = arena_.template take<std::int64_t>(edges);
    parts_ = arena_.template take<Part>(static_cast<std::size_t>(parts));
    Kokkos::parallel_scan("heddle::spmv::csb_list_parts", range_policy(exec, blocks_ + 1),
                          ListPartsKernel<View>{listed, part_of_.data(), parts_.data(), before});
    gather(exec, "heddle::spmv::csb_part_ptr", part_ptr_.data(), panels + 1, before, panel_ptr);
    Kokkos::parallel_reduce("heddle::spmv::csb_widest_part", range_policy(exec, parts),
                            WidestPartKernel{parts_.data()}, Kokkos::Max<int>(widest_));
    widest_ = std::max(widest_, 0);
  }

 private:
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  Sweeps sweeps_ = Sweeps::two;
  std::int64_t blocks_ = 0;
  std::int64_t parts_count_ = 0;
  int widest_ = 0;
  Arena<Space> arena_;
  Array<std::int64_t> part_of_;
  Array<std::int64_t> part_ptr_;
  Array<Part> parts_;
};

}  // namespace heddle::detail::csb
