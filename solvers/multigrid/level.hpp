// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cooperative.hpp"
#include "../../backends/launch.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../formats/plan/core.hpp"
#include "../../matrices/csr.hpp"
#include "coarsest.hpp"
#include "prolongation.hpp"
#include "smoother.hpp"
#include "spectrum.hpp"
#include "symmetry.hpp"
#include "tentative.hpp"

/// Rows of small levels, which no plan is made for.
namespace heddle::detail::multigrid {

/// Lanes a row: coarse levels have some 10 to 60 entries a row.
using SmallShape = backends::Shape<16, 512, 2>;

/// A matrix as small levels read it: a subwarp a row.
template <class Matrix>
struct SmallRows {
  using S = typename Matrix::scalar_type;
  const typename Matrix::offset_type* row_ptr = nullptr;
  const typename Matrix::ordinal_type* col_idx = nullptr;
  const S* values = nullptr;

  static SmallRows of(const Matrix& A) {
    return {A.row_ptr().data(), A.col_idx().data(), A.values().data()};
  }
  /// The product of a row and vector v of x, in all lanes.
  template <class Subwarp, class T>
  KOKKOS_FORCEINLINE_FUNCTION S times(const Subwarp& subwarp, std::int64_t row,
                                      const Multivector<T>& x, int v) const {
    S sum(0);
    for (auto k = row_ptr[row] + subwarp.lane(); k < row_ptr[row + 1]; k += Subwarp::width) {
      sum += values[k] * x(col_idx[k], v);
    }
    return subwarp.sum(sum);
  }
};

/// q = A x
template <class Matrix>
struct MultiplySmallRows {
  using S = typename Matrix::scalar_type;
  using Scratch = backends::NoScratch;
  SmallRows<Matrix> A;
  Multivector<const S> x;
  Multivector<S> q;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= q.rows) return;
    const S product = A.times(subwarp, row, x, 0);
    if (subwarp.lane() == 0) q(row, 0) = product;
  }
};
template <ExecutionSpace Exec, class Matrix, class S>
void multiply_small_rows(const Exec& exec, const Matrix& A, const Multivector<const S>& x,
                         const Multivector<S>& q) {
  using Team = backends::Team<Exec, SmallShape>;
  backends::launch<SmallShape>(exec, "heddle::multigrid::multiply_small_rows",
                               ceil_div(q.rows, std::int64_t{Team::subwarps}),
                               MultiplySmallRows<Matrix>{SmallRows<Matrix>::of(A), x, q});
}

/// What levels share.
template <ExecutionSpace Exec, class Matrix>
struct Shared {
  using S = typename Matrix::scalar_type;
  using Table = FormatTable<Exec, Matrix, S, S>;
  using Product = SpmvPlanCore<Exec, Matrix, S, S>;
  using Wide = krylov::Wide<S>;
  using Space = typename Exec::memory_space;

  MultigridOptions options;
  Table formats;
  VectorWorkspace<Exec, Wide> workspace;
  Arena<Space> memory;  ///< of as many rows as the finest level has
  S* before = nullptr;
  S* diagonal = nullptr;
  double* row_sums = nullptr;
  Symmetry* symmetry = nullptr;  ///< of the finest level
  double* magnitude[2] = {};     ///< of a level's diagonal entries and of the next one's, by turns

  Shared(const Exec& exec, const Matrix& A, const MultigridOptions& given, const Table& table)
      : options(given), formats(table), workspace(exec) {
    if (options.degree == 0) options.degree = sweeps() ? 1 : 2;
    const auto n = static_cast<std::size_t>(A.rows());
    memory = Arena<Space>(exec, "heddle::multigrid::shared",
                          arena_bytes<S, S, double, double, double, Symmetry>(n, n, n, n, n, 1));
    before = memory.template take<S>(n).data();
    diagonal = memory.template take<S>(n).data();
    for (double** of : {&row_sums, &magnitude[0], &magnitude[1]}) {
      *of = memory.template take<double>(n).data();
    }
    symmetry = memory.template take<Symmetry>(1).data();
  }
  /// Entries up to which levels take one launch: of a GPU one a thread that it keeps resident. On
  /// an H100 cycles of levels of 5,000 to 300,000 entries took half to all of the time in one
  /// launch, and longer with those of 400,000.
  std::int64_t one_launch_entries(const Exec& exec) const {
    if (!backends::has_cooperative<Exec> || sweeps()) return 0;
    if (options.one_launch_entries >= 0) return options.one_launch_entries;
    return backends::has_lanes<Exec> ? std::int64_t{exec.concurrency()} : 0;
  }
  bool sweeps() const { return options.smoother == MultigridSmoother::gauss_seidel; }
  Product product(const Exec& exec, const Matrix& A) const {
    return product(exec, A, options.expected_applies);
  }
  Product product(const Exec& exec, const Matrix& A, std::int64_t expected_applies) const {
    SpmvOptions spmv;
    spmv.expected_applies = expected_applies;
    spmv.vectors = options.vectors;
    spmv.check = false;
    spmv.check_overlap = false;
    return Product(exec, A, spmv, formats);
  }
  std::size_t bytes() const { return memory.bytes() + workspace.bytes(); }
};

/// The way from a level to the next coarser one and back.
template <ExecutionSpace Exec, class Matrix>
struct Transfer {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using SharedParts = Shared<Exec, Matrix>;

  SmoothingMatrix<Exec, Matrix> smoothing;
  Tentative<Exec, S, O, Off> tentative;
  SmoothedProlongation<Exec, Matrix> prolongation;
  DerivedCsr<Exec, S, O, Off> restriction;
  GalerkinPlan<Exec, Matrix> coarse;
  std::optional<typename SharedParts::Product> prolong, restrict_to;  ///< not of small levels

  Transfer(const Exec& exec, const Matrix& A, SmoothingMatrix<Exec, Matrix> smooths,
           Tentative<Exec, S, O, Off> from, const NearNullspace<S>& vectors,
           const SpectrumNumbers* numbers, std::size_t l, const SharedParts& shared)
      : smoothing(std::move(smooths)),
        tentative(std::move(from)),
        prolongation(exec, smoothing.matrix(), tentative.prolongation.matrix(), vectors.vectors) {
    smooth_prolongation(exec, A, vectors, numbers);
    // A was checked, and what is made here is as it should be.
    const Matrix P = prolongation.matrix();
    restriction = stored_op(exec, P, Op::conjugate_transpose, false, false);
    coarse = GalerkinPlan<Exec, Matrix>(exec, restriction.matrix(), A, P,
                                        {.keep_products = false, .check = false});
    multiply(exec, A, vectors.vectors, l, shared);
  }
  void make_products(const Exec& exec, const SharedParts& shared) {
    prolong.emplace(shared.product(exec, prolongation.matrix()));
    restrict_to.emplace(shared.product(exec, restriction.matrix()));
  }
  void update_values(const Exec& exec, const Matrix& A, const NearNullspace<S>& vectors,
                     const SpectrumNumbers* numbers, std::size_t l, const SharedParts& shared) {
    smooth_prolongation(exec, A, vectors, numbers);
    restriction.update_values(exec, prolongation.matrix());
    multiply(exec, A, vectors.vectors, l, shared);
    if (!prolong) return;
    prolong->update_values(exec, prolongation.matrix());
    restrict_to->update_values(exec, restriction.matrix());
  }
  std::size_t bytes() const {
    return smoothing.bytes() + tentative.prolongation.bytes() + tentative.memory.bytes() +
           prolongation.bytes() + restriction.bytes() + coarse.bytes() +
           (prolong ? prolong->bytes() + restrict_to->bytes() : 0);
  }

 private:
  void smooth_prolongation(const Exec& exec, const Matrix& A, const NearNullspace<S>& vectors,
                           const SpectrumNumbers* numbers) {
    smoothing.update_values(exec, A, vectors, numbers);
    prolongation.numeric(exec, smoothing.matrix(), tentative.prolongation.matrix());
  }
  /// From level l.
  void multiply(const Exec& exec, const Matrix& A, int vectors, std::size_t l,
                const SharedParts& shared) {
    coarse.numeric(exec, restriction.matrix(), A, prolongation.matrix());
    parallel_for(exec, "heddle::multigrid::repair_diagonal",
                 std::int64_t{coarse.matrix().rows()} / vectors,
                 RepairDiagonal<Matrix>{coarse.matrix(), coarse.storage().values().data(),
                                        restriction.matrix(), shared.magnitude[l % 2],
                                        shared.magnitude[(l + 1) % 2], vectors});
  }
};

/// One level: its matrix, borrowed, what smooths there, and what leads to the next.
template <ExecutionSpace Exec, class Matrix>
struct Level {
  using S = typename Matrix::scalar_type;
  using Space = typename Exec::memory_space;
  using SharedParts = Shared<Exec, Matrix>;

  Matrix A;
  NearNullspace<S> vectors;
  std::optional<typename SharedParts::Product> product;  ///< none where it is small or inverted
  std::optional<Coarsest<Exec, Matrix>> inverse_of_all;
  std::optional<ColorSweeps<Exec, Matrix>> sweeps;
  std::optional<Transfer<Exec, Matrix>> transfer;
  Arena<Space> memory, vectors_memory;
  S* inverse = nullptr;  ///< of the diagonal
  SpectrumNumbers* numbers = nullptr;
  std::int64_t* bad = nullptr;   ///< a word of the diagonal's rows, one of the pivots'
  S *d = nullptr, *q = nullptr;  ///< of as many vectors as there is room for; d of small levels
  S *b = nullptr, *x = nullptr;  ///< of coarse levels
  bool finest, small;

  Level(const Exec& exec, const Matrix& of, const NearNullspace<S>& with, bool is_finest,
        bool is_small, const SharedParts& shared)
      : A(of), vectors(with), finest(is_finest), small(is_small) {
    const auto n = static_cast<std::size_t>(A.rows());
    memory = Arena<Space>(exec, "heddle::multigrid::level",
                          arena_bytes<S, SpectrumNumbers, std::int64_t>(n, 1, 2));
    inverse = memory.template take<S>(n).data();
    numbers = memory.template take<SpectrumNumbers>(1).data();
    bad = memory.template take<std::int64_t>(2).data();
    const bool dense = A.rows() <= shared.options.coarsest_rows;
    make_vectors(exec, dense, shared.options.vectors.count);
    if (dense) {
      inverse_of_all.emplace(exec, A.rows());
    } else if (!small) {
      make_product(exec, shared);
    }
  }
  /// Room for so many at once. Where levels are launched apart, d is the bound's alone.
  void make_vectors(const Exec& exec, bool dense, int count) {
    const auto n = static_cast<std::size_t>(A.rows());
    const std::size_t all = n * static_cast<std::size_t>(count);
    const std::size_t own = finest ? 0 : all, smoothed = dense ? 0 : all;
    const std::size_t apart = dense ? 0 : small ? all : n;
    vectors_memory = Arena<Space>(exec, "heddle::multigrid::vectors",
                                  arena_bytes<S, S, S, S>(apart, smoothed, own, own));
    d = vectors_memory.template take<S>(apart).data();
    q = vectors_memory.template take<S>(smoothed).data();
    b = vectors_memory.template take<S>(own).data();
    x = vectors_memory.template take<S>(own).data();
  }
  void make_product(const Exec& exec, const SharedParts& shared) {
    // Where sweeps smooth, it bounds the spectrum alone.
    product.emplace(shared.sweeps() ? shared.product(exec, A, lanczos_steps)
                                    : shared.product(exec, A));
  }

  /// The diagonal and the bound of the spectrum, or the inverse, of level l. No wait, no
  /// allocation.
  void prepare(const Exec& exec, std::size_t l, const SharedParts& shared) {
    double* const magnitude = shared.magnitude[l % 2];
    prepare_diagonal(exec, A, shared.diagonal, inverse, magnitude, l == 0, shared.row_sums, numbers,
                     bad);
    if (finest) {
      compare_mirror(exec, A, shared.diagonal, shared.options.symmetry_tolerance, shared.symmetry);
    }
    const bool* const hermitian = &shared.symmetry->holds;
    if (inverse_of_all) {
      inverse_of_all->update_values(exec, A, magnitude, hermitian, bad + 1);
      return;
    }
    bound_spectrum(
        exec,
        LanczosVectors<S>{d, shared.before, q, shared.diagonal, inverse, std::int64_t{A.rows()}},
        numbers, shared.workspace, hermitian, [&](const auto& from, const auto& to) {
          if (product) return product->execute(exec, Op::none, S(1), from, S(0), to);
          multiply_small_rows(exec, A, from, to);
        });
    if (shared.options.smoother != MultigridSmoother::l1_jacobi) return;
    parallel_for(exec, "heddle::multigrid::invert_row_sums", std::int64_t{A.rows()},
                 InvertRowSums<S>{shared.row_sums, inverse});
  }
  /// Of a diagonal that was found to be good. Allocates, and waits.
  void make_sweeps(const Exec& exec, const SharedParts& shared) {
    if (product && shared.sweeps()) sweeps.emplace(exec, A, shared.options);
  }
  void update_values(const Exec& exec, const Matrix& of, std::size_t l, const SharedParts& shared) {
    A = of;
    if (product) product->update_values(exec, A);
    if (sweeps) sweeps->update_values(exec, A);
    prepare(exec, l, shared);
    if (transfer) transfer->update_values(exec, A, vectors, numbers, l, shared);
  }

  std::size_t bytes() const {
    return memory.bytes() + vectors_memory.bytes() + (product ? product->bytes() : 0) +
           (sweeps ? sweeps->bytes() : 0) + (inverse_of_all ? inverse_of_all->bytes() : 0) +
           (transfer ? transfer->bytes() : 0);
  }
};

}  // namespace heddle::detail::multigrid
