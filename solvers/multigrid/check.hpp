// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <string>
#include <vector>

#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/multivector.hpp"
#include "../../core/real_part.hpp"
#include "../../matrices/norms.hpp"
#include "../vectors/operands.hpp"
#include "fields.hpp"
#include "level.hpp"
#include "prolongation.hpp"

/// Checks of the input of a plan, and whether its matrix is symmetric.
namespace heddle::detail::multigrid {

inline constexpr const char* more_room =
    "raise it, or give a matrix in float, or a lower max_operator_complexity";

/// Bytes that a hierarchy in S keeps at least, from the sizes of A: its finest level.
template <Scalar S, class Matrix>
std::size_t least_bytes_in(const Matrix& A, int near_nullspace, const MultigridOptions& options,
                           bool keeps_values) {
  using Off = typename Matrix::offset_type;
  const auto n = static_cast<std::size_t>(A.rows()),
             entries = static_cast<std::size_t>(A.nonzeros());
  const auto vectors = static_cast<std::size_t>(options.vectors.count);
  const auto near =
      static_cast<std::size_t>(near_nullspace > 0 ? near_nullspace : options.block_size);
  // If entries repeat, a map from the user's entries replaces their values.
  const std::size_t of_entry = std::min(sizeof(S), sizeof(Off));
  const std::size_t shared = arena_bytes<S, S, double, double, double>(n, n, n, n, n) +
                             arena_bytes<S, S>(near * n, n) +
                             (keeps_values ? arena_padded_bytes(of_entry * entries) : 0);
  const bool inverted = A.rows() <= options.coarsest_rows;
  return shared + (inverted ? arena_bytes<S, S>(n * n, n * n) : arena_bytes<S, S>(n, n * vectors));
}
/// Bytes that a plan keeps at least, from the sizes of A.
template <Scalar S, class Matrix>
std::size_t least_bytes(const Matrix& A, int near_nullspace, const MultigridOptions& options) {
  using Float = InFloat<S>;
  if (options.values == MultigridValues::same || std::same_as<S, Float>) {
    return least_bytes_in<S>(A, near_nullspace, options, !options.borrow_values);
  }
  const auto all =
      static_cast<std::size_t>(A.rows()) * static_cast<std::size_t>(options.vectors.count);
  return arena_bytes<Float, Float, Float>(A.nonzeros(), all, all) +
         least_bytes_in<Float>(A, near_nullspace, options, false);
}

static_assert(most_degree == 4, "fields.hpp has the range of degree");

/// A if the input is valid, else throws Error.
template <ExecutionSpace Exec, class Matrix, Scalar S>
const Matrix& checked(const Matrix& A, const Multivector<const S>& near_nullspace,
                      const MultigridOptions& options, const MultigridParts<Exec, Matrix>& parts) {
  const auto fail = [](const std::string& what, const char* remedy) { throw Error(what, remedy); };
  if (A.rows() != A.columns()) {
    fail("multigrid's matrix is " + std::to_string(A.rows()) + " x " + std::to_string(A.columns()),
         "give a square matrix");
  }
  if (near_nullspace.count > 0 && near_nullspace.rows != std::int64_t{A.rows()}) {
    fail("near-nullspace vectors have " + std::to_string(near_nullspace.rows) +
             " rows, and A has " + std::to_string(A.rows()),
         "give a row for each of the matrix");
  }
  check_fields(options);
  if (A.rows() % options.block_size != 0) {
    fail("options.block_size is " + std::to_string(options.block_size) + " for " +
             std::to_string(A.rows()) + " rows",
         "give a size that divides them");
  }
  if (options.strength_measure == MultigridMeasure::evolution &&
      (options.block_size > 1 || near_nullspace.count > 1)) {
    fail(
        "options.strength_measure is evolution for nodes of several rows or several near-nullspace "
        "vectors",
        "leave it out");
  }
  if (parts.prolongation &&
      (options.strength_measure == MultigridMeasure::evolution || options.improve_candidates > 0)) {
    fail("options.strength_measure or improve_candidates has no effect with parts.prolongation",
         "leave it out");
  }
  const bool alone = !shares_launches(options.smoother);
  if (options.one_launch_entries > 0 && (alone || !backends::has_cooperative<Exec>)) {
    fail("options.one_launch_entries has no effect on " +
             (alone ? std::string("levels that ") + name(options.smoother) + " smooths"
                    : "this execution space"),
         "leave it out");
  }
  const auto smooths = [&](MultigridSmoother smoother) {
    return options.smoother == smoother ||
           std::find(options.smoothers.begin(), options.smoothers.end(), smoother) !=
               options.smoothers.end();
  };
  const int rows_of_node = std::max(options.block_size, near_nullspace.count);
  if (smooths(MultigridSmoother::block_chebyshev) && rows_of_node > triangle::largest_block) {
    fail("block Chebyshev would smooth with blocks of " + std::to_string(rows_of_node) + " rows",
         "give at most 32 rows of a node and vectors, or another smoother");
  }
  if (parts.smoother && (options.degree != 0 || options.smoother != MultigridSmoother::chebyshev ||
                         !options.smoothers.empty() || options.one_launch_entries > 0)) {
    fail(
        "options.smoother, smoothers, degree or one_launch_entries has no effect with "
        "parts.smoother",
        "leave it out");
  }
  if (parts.preconditioner && (parts.smoother || options.one_launch_entries > 0)) {
    fail(std::string(parts.smoother ? "parts.smoother" : "options.one_launch_entries") +
             " has no effect with parts.preconditioner",
         "leave it out");
  }
  if (!parts.coarsest && options.coarsest_rows > most_inverted_rows) {
    fail("options.coarsest_rows is " + std::to_string(options.coarsest_rows),
         "give 0 to 4096, of which a dense inverse is kept, or a parts.coarsest");
  }
  if (parts.coarsest && options.one_launch_entries > 0) {
    fail("options.one_launch_entries has no effect with parts.coarsest", "leave it out");
  }
  if (parts.prolongation &&
      (parts.aggregates || near_nullspace.count > 0 || options.block_size > 1)) {
    fail(std::string(parts.aggregates           ? "parts.aggregates"
                     : near_nullspace.count > 0 ? "a near-nullspace"
                                                : "options.block_size") +
             " has no effect with parts.prolongation",
         "leave it out");
  }
  if (parts.prolongation && options.kind != MultigridKind::automatic) {
    fail("options.kind has no effect with parts.prolongation", "leave it out");
  }
  const bool own_solve = parts.coarsest && A.rows() <= options.coarsest_rows;
  const std::size_t least = own_solve ? 0 : least_bytes<S>(A, near_nullspace.count, options);
  if (least > options.max_bytes) {
    fail("multigrid of this matrix keeps at least " + std::to_string(least) +
             " bytes, and options.max_bytes is " + std::to_string(options.max_bytes),
         more_room);
  }
  return A;
}

/// The level, to begin a message with; empty if it is the finest.
template <ExecutionSpace Exec, class Matrix>
std::string place_of(const Level<Exec, Matrix>& level) {
  return level.number == 0 ? "" : "on level " + std::to_string(level.number) + " ";
}

/// Throws Error if the smoother of a level, or its own solve, is bad. Waits.
template <ExecutionSpace Exec, class Matrix>
void check_smoother(const Exec& exec, const Level<Exec, Matrix>& level) {
  if (level.smoother) level.smoother->check_values(exec, place_of(level));
  if (level.own_solve) level.own_solve->check_values(exec);
}

/// Throws Error if the diagonal of a level, a pivot or the bound of its spectrum is bad. Waits.
template <ExecutionSpace Exec, class Matrix>
void check_level(const Exec& exec, const Level<Exec, Matrix>& level) {
  const bool finest = level.number == 0;
  const std::string place = place_of(level);
  const char* const indefinite = "use another preconditioner: A is not positive definite";
  const char* const remedy =
      finest ? "store a positive one that its type can hold: multigrid smooths by it" : indefinite;
  spectrum::throw_if_bad(place, spectrum::read_numbers(exec, level.numbers), remedy, indefinite);
}

// Near-nullspace vectors of the user.

template <Scalar S>
struct SizeOfEntry {
  Multivector<const S> vector;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return static_cast<double>(Kokkos::abs(vector(i, 0)));
  }
};

template <Scalar From, Scalar To>
struct CopyScaled {
  Multivector<const From> from;
  Multivector<To> to;
  double scale;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i, 0) = rounded<To>(from(i, 0) * From(static_cast<heddle::RealOf<From>>(scale)));
  }
};

/// Without vectors of the user: a constant vector for each unknown of a node.
template <Scalar S>
struct ConstantOfField {
  NearNullspace<S> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i % to.rows, vector = i / to.rows;
    to(row, static_cast<int>(vector)) = S(row % to.vectors == vector ? 1 : 0);
  }
};

/// Copies vectors, each times a power of two that makes its largest entry about 1: norms neither
/// over- nor underflow, in float either. Throws Error if one is not finite, or all are zero. Waits.
template <ExecutionSpace Exec, Scalar From, Scalar To>
void copy_near_nullspace(const Exec& exec, const Multivector<const From>& from,
                         const Multivector<To>& to) {
  using Space = typename Exec::memory_space;
  using Result = Kokkos::View<double, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  if (from.count == 0) return;
  double* found = nullptr;
  const Arena<Space> work(exec, "heddle::multigrid::largest", arena_array(found, from.count));
  for (int v = 0; v < from.count; ++v) {
    Kokkos::parallel_reduce("heddle::multigrid::largest", range_policy(exec, from.rows),
                            Largest<SizeOfEntry<From>>{{from.slice(v, 1)}}, Result(found + v));
  }
  const std::vector<double> sizes =
      ordered::copied_to_host(exec, "heddle::multigrid::largest", found, from.count);
  bool any = from.rows == 0;
  for (int v = 0; v < from.count; ++v) {
    const Multivector<const From> vector = from.slice(v, 1);
    const double largest = sizes[static_cast<std::size_t>(v)];
    if (!std::isfinite(largest)) {
      throw Error("near-nullspace vector " + std::to_string(v) + " is not finite",
                  "give finite vectors");
    }
    any = any || largest > 0;
    parallel_for(exec, "heddle::multigrid::near_nullspace", from.rows,
                 CopyScaled<From, To>{vector, to.slice(v, 1),
                                      krylov::PowerOfTwo::below(largest).reciprocal});
  }
  if (!any) {
    throw Error("all near-nullspace vectors are zero",
                "give the constant vector, or none, which means the same");
  }
}

}  // namespace heddle::detail::multigrid
