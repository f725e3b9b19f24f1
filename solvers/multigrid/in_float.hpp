// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

#include "../../formats/blocked_ell/inspect.hpp"
#include "../../formats/csr/inspect.hpp"
#include "../../formats/default_formats.hpp"
#include "../krylov/single_precision.hpp"  // before its definitions, for its instances
#include "../krylov/single_precision_definitions.hpp"
#include "check.hpp"
#include "core.hpp"
#include "cycle.hpp"

/// A hierarchy in float under a solver in double: half of the bytes of every level and vector.
namespace heddle::detail::multigrid {

template <ExecutionSpace Exec, class Matrix>
class RoundedHierarchy final : public Hierarchy<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using To = InFloat<S>;
  using System = krylov::RoundedSystem<Exec, Matrix>;
  using Inner = typename System::Rounded;

  RoundedHierarchy(const Exec& exec, const Matrix& A, const Multivector<const S>& near_nullspace,
                   const MultigridOptions& given) {
    Kokkos::Timer timer;
    checked<Exec>(A, near_nullspace, given, {});
    if (given.borrow_values) {
      throw Error("options.borrow_values has no effect on a hierarchy in single precision",
                  "leave it out: it keeps rounded values of its own");
    }
    system_ = System(exec, A, given.vectors.count);
    const Inner rounded = system_.round(exec, A);
    system_.check_values(exec);
    Multivector<To> near{nullptr, 1, A.rows(), A.rows(), near_nullspace.count};
    const Arena<typename Exec::memory_space> work(exec, "heddle::multigrid::near_nullspace",
                                                  arena_array(near.data, near.rows * near.count));
    copy_near_nullspace(exec, near_nullspace, near);
    MultigridOptions options = given;
    options.values = MultigridValues::same;
    options.borrow_values = true;  // those of system_
    bounded_ = options.max_bytes != no_bound;
    if (bounded_) {
      options.max_bytes -= std::min(options.max_bytes, system_.bytes());
    }
    plan_ = make_hierarchy<Exec, Inner>(exec, rounded, to_read(near), options, {},
                                        List::template table<Exec, Inner, To, To>(), false);
    setup_seconds_ = timer.seconds();
  }

  void apply_from(const Exec& exec, int level, const Multivector<const S>& b,
                  const Multivector<S>& x) override {
    // The inner plan knows the rows of a coarser level.
    const std::int64_t rows = level == 0 ? plan_->rows() : std::min(b.rows, plan_->rows());
    check_vectors(rows, rows, Op::none, b, x);
    system_.apply(exec, b, x, [&](const auto& own_b, const auto& own_x) {
      plan_->apply_from(exec, level, multivector_of<const To>(own_b), multivector_of<To>(own_x));
    });
  }
  void update_values(const Exec& exec, const Matrix& A) override {
    plan_->update_values(exec, system_.round(exec, A));
  }
  void check_values(const Exec& exec) override {
    system_.check_values(exec);
    plan_->check_values(exec);
  }
  MultigridHierarchy levels() const override { return plan_->levels(); }
  bool is_variable() const override { return plan_->is_variable(); }
  bool symmetric() override { return plan_->symmetric(); }
  std::string asymmetry() override { return plan_->asymmetry(); }
  bool reserve(const Exec& exec, int vectors) override {
    if (bounded_) return false;
    const bool made = system_.reserve(exec, vectors);
    return plan_->reserve(exec, vectors) || made;
  }
  std::int64_t rows() const override { return plan_->rows(); }
  double setup_seconds() const override { return setup_seconds_; }
  std::size_t bytes() const override { return system_.bytes() + plan_->bytes(); }

 private:
  /// The compiled part's formats if it has this scalar; else two formats, compiled here.
  using List = std::conditional_t<is_compiled<Exec, Inner>(), DefaultFormats,
                                  Formats<CsrFormat, BlockedEllFormat>>;

  System system_;
  std::unique_ptr<Hierarchy<Exec, Inner>> plan_;
  bool bounded_ = false;  ///< by options.max_bytes
  double setup_seconds_ = 0;
};

template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<Hierarchy<Exec, Matrix>> make_in_float(
    const Exec& exec, const Matrix& A,
    const Multivector<const typename Matrix::scalar_type>& near_nullspace,
    const MultigridOptions& options) {
  return std::make_unique<RoundedHierarchy<Exec, Matrix>>(exec, A, near_nullspace, options);
}

}  // namespace heddle::detail::multigrid
