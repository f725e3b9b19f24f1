// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <string>
#include <variant>

#include "direct_solver.hpp"
#include "fields.hpp"
#include "remembered.hpp"

/// Checks of a solve's options.
namespace heddle::detail::solve {

template <ExecutionSpace Exec, class Matrix>
void check_vectors(const std::string& name, const Nullspace& of, const Matrix& A) {
  using S = typename Matrix::scalar_type;
  using Space = typename Exec::memory_space;
  if (!of.memory().empty() && of.memory() != Space::name()) {
    throw Error(name + " is in memory of " + of.memory(),
                std::string("give vectors in memory of ") + Space::name());
  }
  const auto check_one = [&]<class Given>(const Given& given) {
    if constexpr (std::same_as<Given, Multivector<const S>>) {
      if (given.rows == A.rows()) return;
      throw Error(name + " has vectors of " + std::to_string(given.rows) + " rows, and A has " +
                      std::to_string(A.rows()),
                  "give vectors of the size of A");
    } else if constexpr (!std::same_as<Given, Nullspace::None> &&
                         !std::same_as<Given, Nullspace::Ones>) {
      throw Error(name + " has vectors of another scalar than A", "give vectors of A's scalar");
    }
  };
  std::visit(check_one, of.vectors());
}

/// Throws Error if A is not square, or if an option is out of its range or does not fit A.
template <ExecutionSpace Exec, class Matrix>
void check(const Matrix& A, const SolveOptions& options) {
  check_fields(options);
  if (A.rows() != A.columns()) {
    throw Error("A is " + std::to_string(A.rows()) + " x " + std::to_string(A.columns()),
                "give a square matrix");
  }
  if (options.block_size > 0 && A.rows() % options.block_size != 0) {
    throw Error("options.block_size is " + std::to_string(options.block_size) + ", and A has " +
                    std::to_string(A.rows()) + " rows",
                "give a divisor of the rows");
  }
  check_vectors<Exec>("options.nullspace", options.nullspace, A);
  check_vectors<Exec>("options.near_nullspace", options.near_nullspace, A);
  if (!options.direct.empty() && !options.direct.make<MakeDirect<Exec, Matrix>>()) {
    throw Error("options.direct is for another execution space or matrix type than A's",
                "make it by direct_solver with the exec and A of this call");
  }
  if (options.pair.empty()) return;
  const bool direct = pair_of(options.pair).preconditioner == SolvePreconditioner::direct;
  if (direct && options.direct.empty()) {
    throw Error("options.pair is '" + options.pair + "', and options.direct is empty",
                "give options.direct = direct_solver<SparseDirectPlan>(exec, A)");
  }
}

}  // namespace heddle::detail::solve
