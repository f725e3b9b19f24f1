// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on matrices, each made anew at every run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../../../matrices/add.hpp"
#include "../../../matrices/blocks.hpp"
#include "../../../matrices/coordinates.hpp"
#include "../../../matrices/select.hpp"
#include "../common/load.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// Names of contestants that are operations; the word "operations" asks for all of them.
inline constexpr std::array<const char*, 6> operation_names{
    "op-transpose", "op-add", "op-drop-small", "op-part-of", "op-to-blocks", "op-assemble"};

/// make(exec) returns a result with matrix() and bytes(); multiply(exec, result) writes y = A x
/// with it to the problem's vectors.
template <Scalar S, class Make, class Multiply>
class OperationConversion : public ConvertContestant<S> {
 public:
  OperationConversion(const Exec& exec, const Make& make, const Multiply& multiply)
      : make_(make), multiply_(multiply) {
    run(exec);
  }

  void run(const Exec& exec) override {
    made_ = {};
    made_ = make_(exec);
  }
  void product(const Exec& exec) override { multiply_(exec, made_); }
  std::size_t bytes() const override { return made_.bytes(); }

 private:
  Make make_;
  Multiply multiply_;
  decltype(std::declval<const Make&>()(std::declval<const Exec&>())) made_;
};

/// The entries of a matrix in a random order, which the seed determines, on the device.
template <Scalar S>
struct ShuffledTriplets {
  Kokkos::View<Index*, Space> row_of, column_of;
  Kokkos::View<S*, Space> values;

  template <class HostMatrix>
  ShuffledTriplets(const HostMatrix& A, std::uint64_t seed)
      : row_of("heddle::bench::row_of", A.nonzeros()),
        column_of("heddle::bench::column_of", A.nonzeros()),
        values("heddle::bench::values", A.nonzeros()) {
    std::vector<std::size_t> order(static_cast<std::size_t>(A.nonzeros()));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    const auto rows = Kokkos::create_mirror(Kokkos::HostSpace(), row_of);
    const auto columns = Kokkos::create_mirror(Kokkos::HostSpace(), column_of);
    const auto entries = Kokkos::create_mirror(Kokkos::HostSpace(), values);
    for (Index i = 0; i < A.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (auto k = static_cast<std::size_t>(A.row_ptr()(at));
           k < static_cast<std::size_t>(A.row_ptr()(at + 1)); ++k) {
        rows(order[k]) = i;
        columns(order[k]) = A.col_idx()(k);
        entries(order[k]) = A.values()(k);
      }
    }
    Kokkos::deep_copy(row_of, rows);
    Kokkos::deep_copy(column_of, columns);
    Kokkos::deep_copy(values, entries);
  }
};

/// Calls enter_any(name, make, multiply) with each operation on the matrix of `problem` for which
/// wants(name) is true. multiply() is A x, but (A + B) x for op-add; for op-part-of the product
/// with the entries above the diagonal is added from the host's matrix. `seed` determines the order
/// of the entries for op-assemble.
template <Scalar S, Offset Off, class Wants, class Enter>
void each_operation(const ConvertProblem<S, Off>& problem, std::uint64_t seed, const Wants& wants,
                    const Enter& enter_any) {
  const auto enter = [&](const char* name, const auto& make, const auto& multiply) {
    if (wants(name)) enter_any(name, make, multiply);
  };
  const auto by_rows = [problem](const Exec& exec, const auto& made) {
    const auto C = made.matrix();
    product_by_rows(exec, problem, C.row_ptr(), C.col_idx(), C.values());
  };
  enter(
      "op-transpose", [problem](const Exec& exec) { return transpose(exec, problem.A); },
      [problem](const Exec& exec, const auto& made) {
        const auto T = made.matrix();
        product_by_transpose(exec, problem, T.row_ptr(), T.col_idx(), T.values());
      });
  enter(
      "op-add", [problem](const Exec& exec) { return add(exec, S(1), problem.A, S(1), problem.B); },
      by_rows);
  enter(
      "op-drop-small", [problem](const Exec& exec) { return drop_small(exec, problem.A); },
      by_rows);
  enter(
      "op-part-of",
      [problem](const Exec& exec) { return part_of(exec, problem.A, MatrixPart::lower); },
      [problem](const Exec& exec, const auto& made) {
        const auto lower = made.matrix();
        product_on_host(exec, problem, lower.row_ptr(), lower.col_idx(), lower.values(),
                        [&](const auto& y, const auto& begin, const auto& columns,
                            const auto& entries, const auto& x) {
                          add_rows(y, begin, columns, entries, x);
                          for (std::size_t i = 0; i < y.extent(0); ++i) {
                            each_entry(problem.host, i, [&](std::size_t j, const S& value) {
                              if (j > i) y(i) += value * x(j);
                            });
                          }
                        });
      });
  enter(
      "op-to-blocks",
      [problem](const Exec& exec) { return to_blocks(exec, problem.A, problem.block); },
      [problem](const Exec& exec, const auto& made) {
        product_by_blocks(exec, problem, made.row_ptr(), made.col_idx(), made.values());
      });
  if (!wants("op-assemble")) return;
  const ShuffledTriplets<S> triplets(problem.host, seed);
  enter(
      "op-assemble",
      [problem, triplets](const Exec& exec) {
        return assemble<Off>(exec, problem.A.rows(), problem.A.columns(), triplets.row_of,
                             triplets.column_of, triplets.values);
      },
      by_rows);
}

}  // namespace heddle::bench
