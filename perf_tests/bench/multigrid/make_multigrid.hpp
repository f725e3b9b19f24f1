// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <vector>

#include "../../../solvers/multigrid/core.hpp"
#include "../../../solvers/multigrid/options.hpp"
#include "../common/any_operator.hpp"

namespace heddle::bench {

/// A multigrid plan as a preconditioner, whose levels can be inspected.
template <Scalar S>
class AnyMultigrid : public AnyOperator<S> {
 public:
  using AnyOperator<S>::AnyOperator;
  using typename AnyOperator<S>::Const;
  using typename AnyOperator<S>::Vector;

  virtual MultigridHierarchy levels() const = 0;
  /// Applies a cycle that starts at a level and includes the coarser ones.
  virtual void apply_from(const Exec& exec, int level, const Const& b, const Vector& x) = 0;
};

/// A kind of hierarchy, by the name that it has in tables.
struct KnownHierarchy {
  std::string name, description;
};
inline const std::vector<KnownHierarchy>& known_hierarchies() {
  static const std::vector<KnownHierarchy> list = {
      {"chebyshev", "smoothed by Chebyshev's polynomials"},
      {"l1-jacobi", "smoothed by l1-Jacobi"},
      {"gauss-seidel", "smoothed by Gauss-Seidel by colors"},
      {"float", "smoothed by Chebyshev's polynomials, all of it in float"},
  };
  return list;
}

/// The hierarchy of that name, with rigid body modes of the nodes at `coordinates` unless these are
/// empty. Compiled once for each pair of types, in multigrid/instance.cpp.
template <Scalar S, Offset Off>
std::unique_ptr<AnyMultigrid<S>> make_multigrid(const Exec& exec,
                                                const CsrMatrix<S, Index, Off, Space>& A,
                                                const Kokkos::View<double**, Space>& coordinates,
                                                const std::string& name, MultigridOptions options);

}  // namespace heddle::bench
