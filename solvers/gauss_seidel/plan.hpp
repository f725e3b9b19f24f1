// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "../../formats/spmv_plan.hpp"
#include "../sptrsv/plan.hpp"
#include "../vectors/updates.hpp"
#include "split_kernels.hpp"

namespace heddle {

/// Gauss-Seidel, SOR and SSOR of one matrix in the order of its rows: the numbers of the sequential
/// sweep to rounding, whatever the pattern, and the same bits on every run. A preconditioner
/// (apply), and a smoother (relax).
///
/// A half sweep is split in two: t = b - R x by a product with the entries that it does not solve
/// for (SpmvPlan), then a triangular solve with the others (SptrsvPlan): (D / omega + L) x = b - (U
/// + (1 - 1 / omega) D) x forward, with L and U exchanged backward. From zero the first half sweep
/// is the solve alone.
///
/// The plan copies the triangles of the matrix; its pattern must outlive the plan. One plan sweeps
/// once at a time. Moves, does not copy.
template <ExecutionSpace Exec, class Matrix, class FormatList = AllFormats>
class GaussSeidelPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;

  /// Inspects A on `exec` and waits for it. A is square; columns of a row may be in any order, and
  /// repeated entries add up.
  ///
  /// Throws Error, naming the row, if the row pointer or a column is wrong, or a diagonal entry is
  /// missing, zero, infinite or NaN; and if omega is not between 0 and 2. Device memory: bytes().
  explicit GaussSeidelPlan(const Exec& exec, const Matrix& A,
                           const GaussSeidelOptions& options = {}, FormatList = {})
      : options_(options), rows_(A.rows()), nonzeros_(static_cast<std::int64_t>(A.nonzeros())) {
    if (A.rows() != A.columns()) {
      throw Error("Gauss-Seidel with a matrix of " + std::to_string(A.rows()) + " x " +
                      std::to_string(A.columns()),
                  "give a square matrix");
    }
    if (!(options.omega > 0) || !(options.omega < 2)) {
      throw Error("options.omega is " + std::to_string(options.omega),
                  "give a relaxation of more than 0 and less than 2");
    }
    if (options.vectors.count < 1) {
      throw Error("options.vectors.count is " + std::to_string(options.vectors.count),
                  "give the number of vectors that b will hold");
    }
    Kokkos::Timer timer;
    row_features(exec, A, Check::columns);
    if (options.sweep != GaussSeidelSweep::backward)
      halves_[0].emplace(exec, A, Triangle::lower, options);
    if (options.sweep != GaussSeidelSweep::forward)
      halves_[1].emplace(exec, A, Triangle::upper, options);
    const auto n = static_cast<std::size_t>(A.rows());
    const auto count = static_cast<std::size_t>(options.vectors.count);
    arena_ = Arena<Space>(exec, "heddle::gauss_seidel::right_hand_side", arena_bytes<S>(n * count));
    right_ = arena_.template take<S>(n * count).data();
    exec.fence("heddle::gauss_seidel::inspected");
    setup_seconds_ = timer.seconds();
  }

  /// x = M b: one sweep (forward, backward, or both halves of a symmetric one) that starts from
  /// zero. x is never read, and does not overlap b. Rank 1, or rank 2 with at most
  /// options.vectors.count vectors. Returns once the work is queued on `exec`: no allocation, no
  /// copy, no fence. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) {
    sweep(exec, b, x, true);
  }

  /// Improves x by `sweeps` sweeps.
  template <VectorView B, WritableVectorView X>
  void relax(const Exec& exec, const B& b, const X& x, int sweeps = 1) {
    for (int i = 0; i < sweeps; ++i) sweep(exec, b, x, false);
  }

  /// Takes the values of A, which has the pattern that was inspected. Ordered on `exec`: no wait,
  /// no allocation. Throws Error if the sizes differ. A diagonal that becomes zero or not finite is
  /// not an error here: see bad_diagonal.
  void update_values(const Exec& exec, const Matrix& A) {
    moves_.check("GaussSeidelPlan", "update_values");
    if (A.rows() != rows_ || static_cast<std::int64_t>(A.nonzeros()) != nonzeros_) {
      throw Error("update_values was given a matrix of " + std::to_string(A.rows()) + " rows and " +
                      std::to_string(A.nonzeros()) + " entries, and the plan is for " +
                      std::to_string(rows_) + " and " + std::to_string(nonzeros_),
                  "make a new plan when the pattern changes");
    }
    for (auto& half : halves_) {
      if (half) half->update_values(exec, A);
    }
    ++version_;
  }

  /// On the device, in the order of the instance that values were updated on: 0, or one more than
  /// the highest row whose diagonal is zero, infinite or NaN since.
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_diagonal() const {
    moves_.check("GaussSeidelPlan", "bad_diagonal");
    return (halves_[0] ? *halves_[0] : *halves_[1]).solve.bad_diagonal();
  }
  /// Throws Error, naming that row. Waits for `exec`.
  void check_diagonal(const Exec& exec) const {
    moves_.check("GaussSeidelPlan", "check_diagonal");
    (halves_[0] ? *halves_[0] : *halves_[1]).solve.check_diagonal(exec);
  }

  /// What solvers ask of a preconditioner.
  static constexpr bool takes_several_vectors = true;
  bool symmetric() const { return options_.sweep == GaussSeidelSweep::symmetric; }
  std::string name() const {
    return std::string("a ") + heddle::name(options_.sweep) + " Gauss-Seidel sweep";
  }
  std::uint64_t version() const { return version_; }

  /// What really runs for a half sweep.
  const Scheme& sptrsv_scheme(GaussSeidelSweep sweep) const { return half(sweep).solve.scheme(); }
  const Scheme& spmv_scheme(GaussSeidelSweep sweep) const { return half(sweep).product.scheme(); }
  double setup_seconds() const { return setup_seconds_; }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const {
    moves_.check("GaussSeidelPlan", "bytes");
    std::size_t bytes = arena_.bytes();
    for (const auto& half : halves_) {
      if (half) bytes += half->bytes();
    }
    return bytes;
  }

 private:
  using S = scalar_type;
  using Real = RealOf<S>;
  using Space = typename Exec::memory_space;
  using PartMatrix = detail::gauss_seidel::PartMatrix<Exec, Matrix>;
  using Copy = typename PartMatrix::Copy;

  struct Half {
    PartMatrix solved, rest;
    SptrsvPlan<Exec, Copy> solve;
    SpmvPlan<Exec, Copy, S, S, FormatList> product;

    Half(const Exec& exec, const Matrix& A, Triangle triangle, const GaussSeidelOptions& options)
        : solved(exec, A, {triangle, static_cast<Real>(1 / options.omega)}),
          rest(exec, A,
               {detail::sptrsv::flipped(triangle), static_cast<Real>(1 - 1 / options.omega)}),
          solve(exec, solved.matrix(), sptrsv_options(triangle, options)),
          product(exec, rest.matrix(), spmv_options(options)) {}

    static SptrsvOptions sptrsv_options(Triangle triangle, const GaussSeidelOptions& options) {
      SptrsvOptions of_solve;
      of_solve.triangle = triangle;
      of_solve.expected_applies = options.expected_applies;
      of_solve.scheme = options.sptrsv_scheme;
      of_solve.vectors = options.vectors;
      return of_solve;
    }
    static SpmvOptions spmv_options(const GaussSeidelOptions& options) {
      SpmvOptions of_product;
      of_product.expected_applies = options.expected_applies;
      of_product.scheme = options.spmv_scheme;
      of_product.vectors = options.vectors;
      return of_product;
    }
    void update_values(const Exec& exec, const Matrix& A) {
      solved.update_values(exec, A);
      rest.update_values(exec, A);
      solve.update_values(exec, solved.matrix());
      product.update_values(exec, rest.matrix());
    }
    std::size_t bytes() const {
      return solved.bytes() + rest.bytes() + solve.bytes() + product.bytes();
    }
  };

  const Half& half(GaussSeidelSweep sweep) const {
    const auto& wanted = halves_[sweep == GaussSeidelSweep::backward ? 1 : 0];
    if (!wanted) {
      throw Error(std::string("this plan has no ") + heddle::name(sweep) + " sweep",
                  "ask for one that options.sweep names");
    }
    return *wanted;
  }

  template <class B, class X>
  void sweep(const Exec& exec, const B& b, const X& x, bool from_zero) {
    moves_.check("GaussSeidelPlan", "apply");
    const auto right = detail::vectors::to_read(b);
    const auto left = detail::vectors::to_write(x);
    detail::vectors::check_alike("b", right, "x", left);
    detail::vectors::check_distinct("b", right, "x", left);
    if (right.rows != rows_ || right.count > options_.vectors.count) {
      throw Error("b is " + std::to_string(right.rows) + " x " + std::to_string(right.count) +
                      ", and the plan is for " + std::to_string(rows_) + " rows and up to " +
                      std::to_string(options_.vectors.count) + " vectors",
                  "give one row a row of A, and name the vectors in options.vectors");
    }
    for (auto& half : halves_) {
      if (!half) continue;
      if (from_zero) {
        half->solve.apply(exec, b, x);
      } else {
        const Kokkos::View<S**, Kokkos::LayoutLeft, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
            t(right_, static_cast<std::size_t>(rows_), static_cast<std::size_t>(right.count));
        if constexpr (X::rank() == 1) {
          improve(exec, *half, b, x, Kokkos::subview(t, Kokkos::ALL, 0));
        } else {
          improve(exec, *half, b, x, t);
        }
      }
      from_zero = false;
    }
  }

  /// t = b - R x, then x from t
  template <class B, class X, class T>
  void improve(const Exec& exec, Half& half, const B& b, const X& x, const T& t) {
    vectors::copy(exec, b, t);
    half.product.apply(exec, S(-1), x, S(1), t);
    half.solve.apply(exec, t, x);
  }

  detail::MoveOnly moves_;
  GaussSeidelOptions options_;
  std::int64_t rows_;
  std::int64_t nonzeros_;
  std::array<std::optional<Half>, 2> halves_;  // forward and backward
  Arena<Space> arena_;
  S* right_ = nullptr;
  std::uint64_t version_ = 0;
  double setup_seconds_ = 0;
};

template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlan(const Exec&, const Matrix&) -> GaussSeidelPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlan(const Exec&, const Matrix&, const GaussSeidelOptions&)
    -> GaussSeidelPlan<Exec, Matrix>;

}  // namespace heddle
