// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that are compiled once for each pair of types, in the instance.cpp of their operation: they
// take long to compile, and solvers share them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../../formats/spmv_plan.hpp"
#include "../../../solvers/ilu/options.hpp"
#include "../../../solvers/krylov/concepts.hpp"
#include "../../../solvers/multigrid/core.hpp"
#include "../../../solvers/multigrid/options.hpp"
#include "../spmv/problem.hpp"

namespace heddle::bench {

/// A product or a preconditioner of a square matrix.
template <Scalar S>
class AnyOperator : public SetUp {
 public:
  using Const = ConstSolverVector<Exec, S>;
  using Vector = SolverVector<Exec, S>;

  explicit AnyOperator(std::int64_t rows) : rows_(rows) {}

  virtual void apply(const Exec& exec, const Const& from, const Vector& to) = 0;
  virtual bool symmetric() const { return true; }
  virtual bool is_variable() const { return false; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return rows_; }

 private:
  std::int64_t rows_;
};

/// A product that may also return x . A x.
template <Scalar S>
class AnyProduct : public AnyOperator<S> {
 public:
  using AnyOperator<S>::AnyOperator;
  using typename AnyOperator<S>::Const;
  using typename AnyOperator<S>::Vector;

  virtual void apply_dot(const Exec& exec, const Const& x, const Vector& y,
                         const VectorWorkspace<Exec, S>& workspace,
                         const heddle::detail::krylov::SolverNumber<Exec, S>& result) = 0;
  virtual bool has_dot() const = 0;
};

/// A plan that implements `Interface`: it is made of a matrix and updated from its values.
template <Scalar S, Offset Off, class Plan, class Interface = AnyOperator<S>>
class PlannedOperator : public Interface {
 public:
  using typename Interface::Const;
  using typename Interface::Vector;
  using Matrix = CsrMatrix<S, Index, Off, Space>;

  template <class... Options>
  PlannedOperator(const Exec& exec, const Matrix& A, const Options&... options)
      : Interface(A.rows()), A_(A), plan_(exec, A, options...) {}

  void apply(const Exec& exec, const Const& from, const Vector& to) override {
    plan_.apply(exec, from, to);
  }
  bool updates() const override { return true; }
  void update_values(const Exec& exec) override { plan_.update_values(exec, A_); }
  bool symmetric() const override {
    if constexpr (requires { plan_.symmetric(); }) return plan_.symmetric();
    return true;
  }
  bool is_variable() const override {
    if constexpr (requires { plan_.is_variable(); }) return plan_.is_variable();
    return false;
  }
  std::size_t bytes() const override { return plan_.bytes(); }
  std::string scheme() const override {
    if constexpr (requires { plan_.scheme(); }) return plan_.scheme().to_string();
    return "";
  }
  const Plan& plan() const { return plan_; }
  Plan& plan() { return plan_; }

 private:
  Matrix A_;
  Plan plan_;
};

/// A plan of all formats as a contestant.
template <Scalar S, Offset Off>
std::unique_ptr<SpmvContestant<S>> make_plan(const Exec& exec, const SpmvProblem<S, Off>& problem,
                                             const SpmvOptions& options);

/// A plan of all formats as a product with any vectors, for solvers.
template <Scalar S, Offset Off>
std::unique_ptr<AnyProduct<S>> make_product(const Exec& exec,
                                            const CsrMatrix<S, Index, Off, Space>& A,
                                            const SpmvOptions& options);

/// A plan of incomplete factors as a preconditioner.
template <Scalar S, Offset Off>
std::unique_ptr<AnyOperator<S>> make_preconditioner(const Exec& exec,
                                                    const CsrMatrix<S, Index, Off, Space>& A,
                                                    const IluOptions& options, bool cholesky);

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
      {name(MultigridSmoother::chebyshev), "smoothed by Chebyshev's polynomials"},
      {name(MultigridSmoother::l1_jacobi), "smoothed by l1-Jacobi"},
      {name(MultigridSmoother::gauss_seidel), "smoothed by Gauss-Seidel by colors"},
      {name(MultigridSmoother::block_chebyshev),
       "smoothed by Chebyshev's polynomials with blocks of nodes"},
      {"ic", "smoothed by incomplete Cholesky factors"},
      {"ilu", "smoothed by incomplete LU factors"},
      {"float", "smoothed by Chebyshev's polynomials, all of it in float"},
      {"w", "W cycles"},
      {"plain", "plain aggregation"},
      {"plain-w", "plain aggregation, W cycles"},
      {"plain-k", "plain aggregation, K cycles"},
  };
  return list;
}

/// The hierarchy of that name, with rigid body modes of the nodes at `coordinates` unless these are
/// empty.
template <Scalar S, Offset Off>
std::unique_ptr<AnyMultigrid<S>> make_multigrid(const Exec& exec,
                                                const CsrMatrix<S, Index, Off, Space>& A,
                                                const Kokkos::View<double**, Space>& coordinates,
                                                const std::string& name, MultigridOptions options);

}  // namespace heddle::bench
