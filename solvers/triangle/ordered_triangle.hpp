// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/loops.hpp"
#include "../../core/two_loops.hpp"
#include "check_triangle.hpp"
#include "diagonal.hpp"
#include "ordered_pattern.hpp"
#include "view.hpp"

namespace heddle::detail::triangle {

/// A triangle copied in the order that it is solved in, its diagonal in D (DiagonalOf).
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar D>
class OrderedTriangle {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  OrderedTriangle() = default;

  /// The pattern (OrderedPattern), a second and a third allocation, and the values; no wait.
  OrderedTriangle(const Exec& exec, const Matrix& T, const Graph<O, Off>& graph, const Off* origin,
                  const order::LevelOrder<Exec, O>& order, std::int64_t entries, Diagonal diagonal)
      : pattern_(exec, graph, origin, order, entries),
        memory_(exec, "heddle::triangle::triangle",
                arena_bytes<S>(static_cast<std::size_t>(entries))),
        values_(memory_.template take<S>(static_cast<std::size_t>(entries))),
        diagonal_(exec, pattern_.row(), diagonal == Diagonal::unit) {
    update_values(exec, T, nullptr);
  }

  /// The values of a matrix of the same pattern, in the order of `exec`: one launch, no allocation,
  /// no wait. *bad_diagonal: see DiagonalStorage.
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    two_loops(exec, "heddle::triangle::values", pattern_.entries(),
              Gather<S, Off>{values_.data(), T.values().data(), pattern_.source().data()},
              diagonal_.places(), diagonal_.loop(T, bad_diagonal));
  }

  View<S, O, Off, D> view() const {
    return {pattern_.rows(),      pattern_.row_ptr().data(), pattern_.needed().data(),
            values_.data(),       diagonal_.diagonal(),      diagonal_.reciprocal(),
            pattern_.row().data()};
  }
  std::size_t bytes() const { return pattern_.bytes() + memory_.bytes() + diagonal_.bytes(); }

 private:
  OrderedPattern<Exec, O, Off> pattern_;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<S> values_;
  DiagonalStorage<Exec, S, O, Off, D> diagonal_;
};

}  // namespace heddle::detail::triangle
