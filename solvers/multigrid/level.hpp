// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/algorithms/each_entry.hpp"
#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/memory.hpp"
#include "../../core/arena.hpp"
#include "coarsening.hpp"
#include "coarsest.hpp"
#include "inner_steps.hpp"
#include "smoother.hpp"

namespace heddle::detail::multigrid {

/// Posts 1 to `found` if a node has other columns than whole nodes, ascending, the same ones in
/// each row.
template <class Matrix>
struct FindOtherColumns {
  Matrix A;
  int block;
  int* found;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    if (is_other(row, k)) backends::post(found, 1);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin_of(std::int64_t row) const {
    return static_cast<std::int64_t>(A.row_ptr().data()[row]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t length_of(std::int64_t row) const {
    return begin_of(row + 1) - begin_of(row);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_other(std::int64_t row, std::int64_t k) const {
    const auto* const col_idx = A.col_idx().data();
    const std::int64_t r = row % block, first = row - r, length = length_of(row);
    // A row without entries is not visited: the one before it sees its length, in a circle.
    if (length % block != 0 || length_of(first + (r + 1) % block) != length ||
        length_of(first) != length) {
      return true;
    }
    const std::int64_t at = k - begin_of(row), place = at % block;
    const auto column = static_cast<std::int64_t>(col_idx[k]);
    if (r > 0) return static_cast<std::int64_t>(col_idx[begin_of(first) + at]) != column;
    const std::int64_t before = at > 0 ? static_cast<std::int64_t>(col_idx[k - 1]) : -1;
    return place > 0 ? column != before + 1 : column % block != 0 || column <= before;
  }
};

/// Whether every entry of A is in a full block of `block` x `block`. Allocates, and waits.
template <ExecutionSpace Exec, class Matrix>
bool has_full_nodes(const Exec& exec, const Matrix& A, int block) {
  constexpr const char* label = "heddle::multigrid::find_other_columns";
  int* found = nullptr;
  const Arena<typename Exec::memory_space> work(exec, label, arena_array(found, 1));
  fill(exec, label, found, 1, 0);
  each_entry(exec, label, A.row_ptr().data(), std::int64_t{A.rows()},
             static_cast<std::int64_t>(A.nonzeros()), FindOtherColumns<Matrix>{A, block, found});
  return ordered::copied_to_host(exec, label, found, 1).front() == 0;
}

/// One level: its matrix, borrowed, its smoother or solve, and its transfer to the next level.
template <ExecutionSpace Exec, class Matrix>
struct Level {
  using S = typename Matrix::scalar_type;
  using Space = typename Exec::memory_space;
  using SharedParts = Shared<Exec, Matrix>;

  Matrix A;
  NearNullspace<S> vectors;
  std::size_t number;  ///< 0: the finest
  bool small;          ///< runs in the shared launch
  int block;           ///< rows of a node
  bool full = false;   ///< whether the rows of a node have the same columns, in whole nodes
  std::optional<typename SharedParts::Product> product;  ///< none if small or solved
  std::unique_ptr<Smoother<Exec, Matrix>> smoother;      ///< none if small or solved
  std::optional<CoarseSolve<Exec, Matrix>> solve;
  std::unique_ptr<MultigridLevelPreconditioner<Exec, Matrix>> own_solve;  ///< in place of `solve`
  std::optional<Coarsening<Exec, Matrix>> coarsening;
  std::optional<InnerSteps<Exec, Matrix>> inner;  ///< if a cycle visits the level twice
  Arena<Space> memory, vectors_memory;
  S* inverse = nullptr;  ///< inverse of the diagonal
  SpectrumNumbers* numbers = nullptr;
  S *d = nullptr, *q = nullptr;  ///< workspace; d of one vector unless small
  S *b = nullptr, *x = nullptr;  ///< right-hand sides and solutions of coarse levels

  /// rows: the features of the matrix, if they are known.
  Level(const Exec& exec, const Matrix& of, const NearNullspace<S>& with, std::size_t l,
        bool is_small, const SharedParts& shared, const std::optional<RowFeatures>& rows)
      : A(of),
        vectors(with),
        number(l),
        small(is_small),
        block(l == 0 ? shared.options.block_size : with.vectors) {
    full = block > 1 && (l > 0 || has_full_nodes(exec, A, block));
    memory = Arena<Space>(exec, "heddle::multigrid::level", arena_array(inverse, A.rows()),
                          arena_array(numbers, 1));
    if (A.rows() <= shared.options.coarsest_rows) {
      const auto& own = shared.parts.coarsest;
      if (own && A.rows() > 0) own_solve = own(exec, static_cast<int>(number), A);
      if (!own_solve && A.rows() > most_inverted_rows) {
        throw Error("parts.coarsest returned null for level " + std::to_string(number) + " of " +
                        std::to_string(A.rows()) + " rows",
                    "return a solve for a level of more than 4096 rows");
      }
      if (!own_solve) solve.emplace(exec, A.rows());
    } else if (!small) {
      make_product(exec, shared, rows);
    }
    make_vectors(exec, shared.options.vectors.count);
  }
  bool is_solved() const { return solve || own_solve; }
  /// Reserves `count` vectors. If levels have separate launches, only the bound needs d.
  void make_vectors(const Exec& exec, int count) {
    const std::int64_t n = A.rows(), all = n * count;
    const std::int64_t own = number == 0 ? 0 : all;
    vectors_memory = Arena<Space>(exec, "heddle::multigrid::vectors",
                                  arena_array(d, is_solved() ? 0
                                                 : small     ? all
                                                             : n),
                                  arena_array(q, is_solved() ? 0 : all), arena_array(b, own),
                                  arena_array(x, own));
    if (inner) inner.emplace(exec, n, count, inner->krylov());
  }
  void make_product(const Exec& exec, const SharedParts& shared,
                    const std::optional<RowFeatures>& rows = {}) {
    // If sweeps smooth, only the bound of the spectrum needs the product, and steps between visits.
    const bool only_bounds = shared.smoothing(number).smoother == MultigridSmoother::gauss_seidel &&
                             !shared.parts.smoother && !shared.parts.preconditioner &&
                             (number == 0 || shared.options.cycle == MultigridCycle::v);
    const std::int64_t applies =
        only_bounds ? spectrum::lanczos_steps : shared.options.expected_applies;
    if (full) {
      if (auto in_blocks = shared.product_in_blocks(exec, A, block, applies)) {
        product.emplace(std::move(*in_blocks));
        return;
      }
    }
    if (number > 0 && !only_bounds) {
      product.emplace(shared.product_of_made(exec, A));
    } else {
      product.emplace(shared.product(exec, A, applies, rows));
    }
  }
  /// Makes the smoother of a prepared level; the diagonal was checked. Allocates, and waits.
  void make_smoother(const Exec& exec, const SharedParts& shared) {
    if (product) smoother = multigrid::make_smoother(exec, *this, shared);
  }
  /// Bytes that the products of one visit move for one vector, with its share of those between two
  /// visits.
  double moved_bytes() const {
    double bytes = 0;
    if (product) {
      // A last level is smoothed once, from zero, and has no residual.
      const int products = smoother->products();
      const double between = inner ? 0.5 * inner->products() : 0.0;
      bytes = (between + (coarsening ? products : std::max(0, products / 2 - 1))) *
              product->moved_bytes(Op::none, 1, false);
    }
    if (coarsening && coarsening->prolong) {
      bytes += coarsening->prolong->moved_bytes(Op::none, 1, true) +
               coarsening->restrict_to->moved_bytes(Op::none, 1, false);
    }
    return bytes;
  }

  /// Finds the inverse diagonal and the bound, or the inverse. No wait, no allocation.
  void prepare(const Exec& exec, const SharedParts& shared) {
    double* const magnitude = shared.magnitude[number % 2];
    const bool finest = number == 0;
    prepare_diagonal(exec, A, shared.diagonal, inverse, magnitude, finest, shared.row_sums,
                     numbers);
    if (finest) {
      compare_mirror(exec, A, shared.diagonal, shared.row_sums, shared.options.symmetry_tolerance,
                     shared.symmetry);
    }
    const bool* const hermitian = &shared.symmetry->holds;
    if (is_solved()) {
      parallel_for(exec, "heddle::multigrid::bound_by_row_sum", 1,
                   spectrum::BoundByRowSum{numbers, hermitian});
      if (solve) solve->update_values(exec, A, magnitude, hermitian, &numbers->bad_pivot);
      return;
    }
    bound_spectrum(exec,
                   spectrum::LanczosVectors<S>{d, shared.before, q, shared.diagonal, inverse,
                                               std::int64_t{A.rows()}},
                   numbers, shared.workspace, hermitian,
                   [&](const auto& from, const auto& to) { multiply(exec, from, to); });
    if (shared.smoothing(number).smoother != MultigridSmoother::l1_jacobi) return;
    parallel_for(exec, "heddle::multigrid::invert_row_sums", std::int64_t{A.rows()},
                 spectrum::InvertRowSums<S>{shared.row_sums, inverse});
  }
  /// y = A x
  void multiply(const Exec& exec, const Multivector<const S>& x, const Multivector<S>& y) const {
    if (product) return product->execute(exec, Op::none, S(1), x, S(0), y);
    spectrum::multiply_rows(exec, A, x, y);
  }
  void update_values(const Exec& exec, const Matrix& of, const SharedParts& shared) {
    A = of;
    if (product) product->update_values(exec, A);
    prepare(exec, shared);
    if (smoother) smoother->update_values(exec, *this, shared);
    if (own_solve) own_solve->update_values(exec, A);
    if (coarsening) coarsening->update_values(exec, A, numbers, number, shared);
  }

  std::size_t bytes() const {
    return memory.bytes() + vectors_memory.bytes() + (product ? product->bytes() : 0) +
           (smoother ? smoother->bytes() : 0) + (inner ? inner->bytes() : 0) +
           (solve ? solve->bytes() : 0) + (own_solve ? own_solve->bytes() : 0) +
           (coarsening ? coarsening->bytes() : 0);
  }
};

}  // namespace heddle::detail::multigrid
