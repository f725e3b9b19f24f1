// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/arrays.hpp"
#include "../common/owned_executor.hpp"
#include "../inspect/recipe/compact.hpp"
#include "../inspect/recipe/fill_values.hpp"
#include "format.hpp"
#include "kernel.hpp"

namespace heddle::detail::dia {

/// The arrays of whole diagonals, in one allocation. The recipe: skew, so that columns become
/// diagonals; permute, so that the diagonals are those of the whole matrix; compact.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Stores all diagonals of A. Counts them, with a readback and a workspace of a bit for each
  /// possible diagonal, which is freed; then one allocation and three launches.
  Storage(const Exec& exec, const Matrix& A) : rows_(A.rows()), stride_(padded(A.rows())) {
    const recipe::Compact<Exec, Matrix, Map> diagonals(exec, A, Map());
    diagonals_ = static_cast<int>(diagonals.keys());
    std::tie(all_, offsets_, values_) =
        arrays<int, O, S>(arena_, exec, "heddle::spmv::dia", 2, diagonals_, places());
    diagonals.write(exec, all_, offsets_);
    update_values(exec, A);
  }

  /// Writes new values of the same pattern: one launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) {
    if (diagonals_ == 0) return;
    const recipe::BlocksByColumns layout{stride_, 1, stride_};
    recipe::fill_values(exec, "heddle::spmv::dia_fill", A, Map(), all_, offsets_, layout, values_,
                        recipe::Holes());
  }

  View<S, O> view() const { return {rows_, stride_, diagonals_, offsets_, values_}; }
  std::size_t bytes() const { return arena_.bytes(); }
  double read_bytes() const {
    return static_cast<double>(places()) * sizeof(S) + static_cast<double>(diagonals_) * sizeof(O);
  }
  double carried_bytes() const { return 0; }
  std::size_t places() const {
    return static_cast<std::size_t>(stride_) * static_cast<std::size_t>(diagonals_);
  }

  static std::int64_t padded(std::int64_t rows) {
    return ceil_div(rows, tuning.row_alignment) * tuning.row_alignment;
  }

 private:
  using Map = decltype(recipe::skew() | recipe::permute());

  O rows_;
  std::int64_t stride_;
  int diagonals_ = 0;
  Arena<Space> arena_;
  int* all_ = nullptr;  // the one panel's diagonals: 0, diagonals_
  O* offsets_ = nullptr;
  S* values_ = nullptr;
};

/// Runs the scheme dia for every op: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, tuning.most_vectors>;

  /// All parameters of `resolved` are set.
  Runs(const Inspection<Exec, Matrix>& in, const Scheme& resolved, backends::Simd how)
      : scheme(resolved), simd(how), storage(in.exec, in.A) {}

  bool has_dot(Op) const { return true; }

  template <int Vectors>
  bool run(const Exec& exec, Op op, const Product<V, Acc>& product,
           const team_sums::Dot<Acc>& dot) const {
    return dia::run<Vectors>(exec, storage.view(), product, transposes(op), simd, dot);
  }

  Scheme scheme;
  backends::Simd simd;
  Storage<Exec, S, O, Off> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::dia

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> DiaFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  auto parameters = parameters_of<detail::dia::Parameters>(scheme, in.device);
  parameters.simd = parameters.loads_or_none(scheme, in.device);
  return std::make_unique<detail::dia::Executor<Exec, Matrix, V, Acc>>(
      in, scheme_with(scheme, parameters, in.device), *parameters.simd);
}

template <>
inline constexpr bool detail::is_defined<DiaFormat> = true;

}  // namespace heddle
