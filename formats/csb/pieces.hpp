// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/loops.hpp"
#include "../../core/search.hpp"
#include "../common/arrays.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

/// Entries of the panels of a sweep, and the pieces that they are cut into: of at least `target`
/// entries and fewer than twice as many, unless the panel has fewer.
template <Offset Off>
struct Cutting {
  const Off* panel_ptr;
  const Off* start;
  Off target;
  bool through_memory;

  KOKKOS_FORCEINLINE_FUNCTION Off begin(std::int64_t panel) const {
    return start[panel_ptr[panel]];
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t pieces(std::int64_t panel) const {
    const Off pieces = (begin(panel + 1) - begin(panel)) / target;
    return pieces > 1 ? static_cast<std::int64_t>(pieces) : 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t partials(std::int64_t panel) const {
    const std::int64_t count = pieces(panel);
    return count > 1 || through_memory ? count : 0;
  }
};

/// Writes the pieces of a panel, an item a panel.
template <Ordinal O, Offset Off>
struct CutKernel {
  Cutting<Off> cutting;
  const std::int64_t* piece_ptr;
  const std::int64_t* partial_ptr;
  Piece<O, Off>* pieces;

  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const std::int64_t count = cutting.pieces(panel);
    const bool partial = cutting.partials(panel) > 0;
    const Off begin = cutting.begin(panel), end = cutting.begin(panel + 1);
    const Off share = (end - begin) / static_cast<Off>(count);
    const std::int64_t longer = static_cast<std::int64_t>(end - begin) % count;
    Off at = begin;
    for (std::int64_t i = 0; i < count; ++i) {
      const Off next = at + share + static_cast<Off>(i < longer ? 1 : 0);
      pieces[piece_ptr[panel] + i] = {static_cast<O>(panel), place_of(panel, at), at, next,
                                      partial ? partial_ptr[panel] + i : -1};
      at = next;
    }
  }

 private:
  /// The last place of the panel that begins at or before `entry`.
  KOKKOS_FORCEINLINE_FUNCTION Off place_of(std::int64_t panel, Off entry) const {
    return last_not_above(cutting.start, cutting.panel_ptr[panel], cutting.panel_ptr[panel + 1],
                          static_cast<std::int64_t>(entry));
  }
};

template <Offset Off>
struct PiecesOf {
  Cutting<Off> cutting;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    return cutting.pieces(panel);
  }
};
template <Offset Off>
struct PartialsOf {
  Cutting<Off> cutting;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    return cutting.partials(panel);
  }
};

/// The pieces of a sweep, so that block rows of very different weight are shared like any others.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class Pieces {
 public:
  using Space = typename Exec::memory_space;

  Pieces() = default;

  /// One allocation, three launches, two readbacks.
  Pieces(const Exec& exec, std::int64_t panels, std::int64_t entries, const Cutting<Off>& cutting)
      : panels_(panels) {
    const std::int64_t most =
        panels + entries / std::max<std::int64_t>(1, static_cast<std::int64_t>(cutting.target));
    std::tie(partial_ptr_, pieces_, piece_ptr_) = arrays<std::int64_t, Piece<O, Off>, std::int64_t>(
        arena_, exec, "heddle::spmv::csb_pieces", panels + 1, most, panels + 1);
    cut(exec, cutting);
  }

  Sweep<O, Off> sweep(const Off* order, const Off* start) const {
    return {panels_, order, start, piece_count_, pieces_, partial_count_, partial_ptr_};
  }
  std::int64_t pieces() const { return piece_count_; }
  std::int64_t partials() const { return partial_count_; }
  std::size_t bytes() const { return arena_.bytes(); }

  void cut(const Exec& exec, const Cutting<Off>& cutting) {
    piece_count_ = running_sum_and_total(exec, "heddle::spmv::csb_count_pieces", piece_ptr_,
                                         panels_, PiecesOf<Off>{cutting});
    partial_count_ = running_sum_and_total(exec, "heddle::spmv::csb_count_partials", partial_ptr_,
                                           panels_, PartialsOf<Off>{cutting});
    Kokkos::parallel_for("heddle::spmv::csb_cut", range_policy(exec, panels_),
                         CutKernel<O, Off>{cutting, piece_ptr_, partial_ptr_, pieces_});
  }

 private:
  std::int64_t panels_ = 0;
  std::int64_t piece_count_ = 0;
  std::int64_t partial_count_ = 0;
  Arena<Space> arena_;
  std::int64_t* partial_ptr_ = nullptr;
  Piece<O, Off>* pieces_ = nullptr;
  std::int64_t* piece_ptr_ = nullptr;
};

}  // namespace heddle::detail::csb
