// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/matrix.hpp"

namespace heddle::detail::multigrid {

/// A column for each vector, of any stride.
template <ExecutionSpace Exec, class T>
using StridedVectors = Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space,
                                    Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace heddle::detail::multigrid

namespace heddle {

/// Base class for your own smoother of one level: return one from MultigridParts::smoother.
/// Functions queue work on `exec`; if a cycle is captured they must neither wait nor allocate.
template <ExecutionSpace Exec, class Matrix>
class MultigridLevelSmoother {
 public:
  using scalar_type = typename Matrix::scalar_type;
  /// A column for each vector, of any stride.
  template <class T>
  using VectorsOf = detail::multigrid::StridedVectors<Exec, T>;
  using Vectors = VectorsOf<scalar_type>;
  using ConstVectors = VectorsOf<const scalar_type>;

  virtual ~MultigridLevelSmoother() = default;
  /// Smooths A x = b before the correction from the next level, from zero: x is not initialized.
  virtual void before(const Exec& exec, const ConstVectors& b, const Vectors& x) = 0;
  /// Smooths after the correction, starting from x. It should be the adjoint of before(): else the
  /// cycle is not symmetric, and no preconditioner of CG.
  virtual void after(const Exec& exec, const ConstVectors& b, const Vectors& x) = 0;
  /// Replaces the values of the level's matrix; the pattern stays.
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;
  /// Device memory that it holds, in bytes, for MultigridPlan::bytes.
  virtual std::size_t bytes() const { return 0; }
};

/// Base class for your own preconditioner of one level, or solve of the coarsest: return one from
/// MultigridParts::preconditioner or coarsest, or make a plan of each level by plan_of_each_level.
/// Functions queue work on `exec`; if a cycle is captured they must neither wait nor allocate.
template <ExecutionSpace Exec, class Matrix>
class MultigridLevelPreconditioner {
 public:
  using scalar_type = typename Matrix::scalar_type;
  using Vectors = detail::multigrid::StridedVectors<Exec, scalar_type>;
  using ConstVectors = detail::multigrid::StridedVectors<Exec, const scalar_type>;

  virtual ~MultigridLevelPreconditioner() = default;
  /// z = M r: z is not initialized, and does not overlap r. M is linear, the same in each apply. If
  /// A is Hermitian positive definite, M has to be so too: else the cycle is no preconditioner of
  /// CG. A negative r' M r that the bound of the smoother comes upon, of a Hermitian A, is an Error
  /// when values are checked.
  virtual void apply(const Exec& exec, const ConstVectors& r, const Vectors& z) = 0;
  /// Replaces the values of the level's matrix; the pattern stays.
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;
  /// Throws Error if the last values are bad; for MultigridPlan::check_values.
  virtual void check_values(const Exec&) const {}
  /// Device memory that it holds, in bytes, for MultigridPlan::bytes.
  virtual std::size_t bytes() const { return 0; }
};

/// Parts of a MultigridPlan that you provide; Heddle's own replace those that are empty. Each
/// function is called once a level while the plan is made. level: 0 for the finest, whose matrix is
/// A. Matrix: with signed offsets. docs/multigrid.md
template <ExecutionSpace Exec, class Matrix>
struct MultigridParts {
  using Space = typename Exec::memory_space;
  using ordinal_type = typename Matrix::ordinal_type;
  using Smoother = MultigridLevelSmoother<Exec, Matrix>;
  using Prolongation =
      CsrStorage<typename Matrix::scalar_type, ordinal_type, typename Matrix::offset_type, Space>;
  using Aggregates = Kokkos::View<ordinal_type*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Makes the smoother of a level that is smoothed. A refers to memory of the plan, or of the user
  /// for level 0, that is valid until the next update_values. Replaces options.smoother and
  /// options.degree.
  std::function<std::unique_ptr<Smoother>(const Exec& exec, int level, const Matrix& A)> smoother;

  /// Makes a preconditioner M of a level that is smoothed: the smoother becomes the polynomial in M
  /// A of options.degree, 1 by default, over a bound of its eigenvalues by Lanczos steps. If A is
  /// not Hermitian, a degree of 1 is x += M (b - A x). A: as for `smoother`. Null: the level has
  /// the smoother of the options.
  std::function<std::unique_ptr<MultigridLevelPreconditioner<Exec, Matrix>>(
      const Exec& exec, int level, const Matrix& A)>
      preconditioner;

  /// Makes the solve of the last level, of at most options.coarsest_rows rows, in place of its
  /// dense inverse: z = A^-1 r, or nearly so, and definite if A is. So coarsest_rows may be much
  /// larger. A: as for `smoother`. Null: the dense inverse.
  std::function<std::unique_ptr<MultigridLevelPreconditioner<Exec, Matrix>>(
      const Exec& exec, int level, const Matrix& A)>
      coarsest;

  /// Writes the aggregate of each node, 0 to count - 1, or -1 for none, and returns count; each
  /// aggregate has a node. A node is options.block_size rows of the finest level, and one row for
  /// each near-nullspace vector on other levels. Returns 0 to make this level the last.
  std::function<ordinal_type(const Exec& exec, int level, const Matrix& A,
                             const Aggregates& aggregate)>
      aggregates;

  /// P of a level: as many rows as A, and at least one entry in each column. R is its conjugate
  /// transpose and R A P the next matrix. P stays unchanged when the plan gets new values. Empty:
  /// this level is the last. Aggregates, near-nullspace and strength are not used.
  std::function<Prolongation(const Exec& exec, int level, const Matrix& A)> prolongation;
};

namespace detail::multigrid {

/// A plan of a level's matrix as its preconditioner.
template <class Plan, ExecutionSpace Exec, class Matrix>
class PlanOfLevel final : public MultigridLevelPreconditioner<Exec, Matrix> {
 public:
  using Base = MultigridLevelPreconditioner<Exec, Matrix>;
  using typename Base::Vectors, typename Base::ConstVectors;

  template <class... Arguments>
  PlanOfLevel(const Exec& exec, const Matrix& A, const Arguments&... arguments)
      : plan_(exec, A, arguments...) {
    if constexpr (requires { plan_.is_variable(); }) {
      if (!plan_.is_variable()) return;
      throw Error("the plan of a level, as a preconditioner, differs from one apply to the next",
                  "take one that is linear, such as a V or W cycle: Lanczos steps bound M A");
    }
  }
  void apply(const Exec& exec, const ConstVectors& r, const Vectors& z) override {
    plan_.apply(exec, r, z);
  }
  void update_values(const Exec& exec, const Matrix& A) override { plan_.update_values(exec, A); }
  void check_values(const Exec& exec) const override {
    if constexpr (requires { plan_.check_values(exec); }) plan_.check_values(exec);
  }
  std::size_t bytes() const override { return plan_.bytes(); }

 private:
  Plan plan_;
};

/// Makes PlanOfLevel from the same arguments on each level.
template <class Plan, class... Arguments>
struct MakePlanOfLevel {
  std::tuple<Arguments...> arguments;

  template <ExecutionSpace Exec, class Matrix>
  std::unique_ptr<MultigridLevelPreconditioner<Exec, Matrix>> operator()(const Exec& exec, int,
                                                                         const Matrix& A) const {
    return std::apply(
        [&](const Arguments&... of) {
          return std::make_unique<PlanOfLevel<Plan, Exec, Matrix>>(exec, A, of...);
        },
        arguments);
  }
};

}  // namespace detail::multigrid

/// For MultigridParts::preconditioner and coarsest: Plan(exec, A, arguments...) of the matrix A of
/// a level, for a Plan such as IcPlan, IluPlan, BlockJacobiPreconditioner or DirectPlan. Error if
/// the plan is variable, as a K cycle is. docs/multigrid.md
template <class Plan, class... Arguments>
auto plan_of_each_level(Arguments... arguments) {
  return detail::multigrid::MakePlanOfLevel<Plan, Arguments...>{{std::move(arguments)...}};
}

}  // namespace heddle
