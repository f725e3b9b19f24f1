// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../core/multivector.hpp"
#include "../../formats/formats.hpp"
#include "hierarchy.hpp"
#include "options.hpp"

namespace heddle::detail {

/// What a MultigridPlan does, which documents it, for a matrix of signed offsets and with any list
/// of formats. Defined in definitions.hpp.
template <ExecutionSpace Exec, class Matrix>
class MultigridPlanCore {
 public:
  using S = typename Matrix::scalar_type;
  using Table = FormatTable<Exec, Matrix, S, S>;

  MultigridPlanCore();
  /// Without near-nullspace vectors (count 0) the constant is one.
  MultigridPlanCore(const Exec& exec, const Matrix& A, const Multivector<const S>& near_nullspace,
                    const MultigridOptions& options, const Table& formats);
  MultigridPlanCore(MultigridPlanCore&&) noexcept;
  MultigridPlanCore& operator=(MultigridPlanCore&&) noexcept;
  ~MultigridPlanCore();

  void apply_from(const Exec& exec, int level, const Multivector<const S>& b,
                  const Multivector<S>& x) const;
  void update_values(const Exec& exec, const Matrix& A);
  void check_values(const Exec& exec) const;

  MultigridHierarchy levels() const;
  bool symmetric() const;
  std::int64_t rows() const;
  double setup_seconds() const;
  std::size_t bytes() const;

 private:
  struct State;
  State& state(const char* called) const;

  MoveOnly moves_;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::detail
