// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../../backends/algorithms/lowest_where.hpp"
#include "../../backends/cooperative.hpp"
#include "../../core/multivector.hpp"
#include "../../formats/csr/format.hpp"
#include "../../formats/plan/core.hpp"
#include "../../matrices/csr.hpp"
#include "../../matrices/multiply.hpp"
#include "aggregates.hpp"
#include "options.hpp"
#include "parts.hpp"
#include "prolongation.hpp"
#include "smoother.hpp"

/// Coarsening of a level: the prolongation P, by smoothed aggregation or provided by the user, and
/// R A P with R = P*.
namespace heddle::detail::multigrid {

using spectrum::rounding_of_magnitude;
using spectrum::square_of;
using spectrum::Symmetry;

template <Offset Off>
struct LongestRow {
  const Off* row_ptr;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& longest) const {
    const auto length = static_cast<std::int64_t>(row_ptr[i + 1] - row_ptr[i]);
    if (length > longest) longest = length;
  }
};

/// Options, formats and workspace that all levels use.
template <ExecutionSpace Exec, class Matrix>
struct Shared {
  using S = typename Matrix::scalar_type;
  using Table = FormatTable<Exec, Matrix, S, S>;
  using Product = SpmvPlanCore<Exec, Matrix, S, S>;
  using Wide = krylov::Wide<S>;
  using Space = typename Exec::memory_space;

  MultigridOptions options;
  int given_degree;  ///< 0: the smoother's default
  MultigridParts<Exec, Matrix> parts;
  Table formats;
  VectorWorkspace<Exec, Wide> workspace;
  Arena<Space> memory;  ///< arrays with as many rows as the finest level
  S* before = nullptr;
  S* diagonal = nullptr;
  double* row_sums = nullptr;
  Symmetry* symmetry = nullptr;  ///< of the finest level
  double* magnitude[2] = {};     ///< of diagonal entries, on even and on odd levels

  Shared(const Exec& exec, const Matrix& A, const MultigridOptions& given,
         const MultigridParts<Exec, Matrix>& own, const Table& table)
      : options(given), given_degree(given.degree), parts(own), formats(table), workspace(exec) {
    options.degree = Smoothing::degree_of(options.smoother, given_degree);
    const std::int64_t n = A.rows();
    memory = Arena<Space>(exec, "heddle::multigrid::shared", arena_array(before, n),
                          arena_array(diagonal, n), arena_array(row_sums, n),
                          arena_array(magnitude[0], n), arena_array(magnitude[1], n),
                          arena_array(symmetry, 1));
  }
  /// Entries up to which levels share one launch: on a GPU one for each resident thread. On an H100
  /// cycles of levels of 5,000 to 300,000 entries needed half to all of the time in one launch, and
  /// longer with those of 400,000.
  std::int64_t one_launch_entries(const Exec& exec) const {
    if (!backends::has_cooperative<Exec> || !shares_launches(options.smoother) || parts.smoother ||
        parts.preconditioner || parts.coarsest) {
      return 0;
    }
    if (options.one_launch_entries >= 0) return options.one_launch_entries;
    return backends::has_lanes<Exec> ? std::int64_t{exec.concurrency()} : 0;
  }
  /// The smoother of a level.
  Smoothing smoothing(std::size_t level) const {
    const MultigridSmoother smoother =
        level < options.smoothers.size() ? options.smoothers[level] : options.smoother;
    return {smoother, Smoothing::degree_of(smoother, given_degree)};
  }

  /// Whether P is the tentative prolongation.
  bool plain() const {
    return !parts.prolongation && options.kind == MultigridKind::plain_aggregation;
  }
  /// Factor of the correction from the next level. A tentative prolongation has too much energy, so
  /// that coarse corrections are too small; W and K cycles make up for it otherwise. 1.7 lies
  /// between what suits jumps of coefficients and weak directions (docs/design/multigrid.md).
  /// Source: D. Braess, "Towards algebraic multigrid for elliptic problems of second order",
  /// Computing 55, 1995.
  double correction() const { return plain() && options.cycle == MultigridCycle::v ? 1.7 : 1; }
  /// rows: the features of A, if they are known.
  Product product(const Exec& exec, const Matrix& A, std::int64_t expected_applies,
                  const std::optional<RowFeatures>& rows) const {
    const SpmvOptions spmv = spmv_options(expected_applies);
    return rows ? Product(exec, A, spmv, formats, *rows) : Product(exec, A, spmv, formats);
  }
  /// The product of a P, an R or a coarse level. On a GPU inspecting each of them costs more than
  /// another format gains: the scheme is one of CSR, by the mean and the longest row.
  Product product_of_made(const Exec& exec, const Matrix& A) const {
    SpmvOptions spmv = spmv_options(options.expected_applies);
    if constexpr (backends::has_lanes<Exec>) {
      RowFeatures rows = csr::rows_alike(A);
      Kokkos::parallel_reduce("heddle::multigrid::longest_row", range_policy(exec, A.rows()),
                              LongestRow<typename Matrix::offset_type>{A.row_ptr().data()},
                              Kokkos::Max<std::int64_t>(rows.longest_row));
      spmv.scheme =
          csr::scheme_by_rows(rows, backends::describe(exec), sizes_of<Matrix, S, S>(spmv.vectors),
                              csr::gpu_tuning<backends::Tag<Exec>>);
      if (place_of(formats.formats, *spmv.scheme) < formats.formats.size()) {
        return Product(exec, A, spmv, formats, rows);
      }
      spmv.scheme.reset();
    }
    return Product(exec, A, spmv, formats);
  }
  /// The product of a matrix all of whose entries are in full square blocks, in BCSR, if that saves
  /// bytes and `applies` repay it: by its prediction, for which the number of blocks is known
  /// without an inspection. On a GPU it also has to be predicted to be faster than CSR. None
  /// otherwise, if kernels do not know this size when they are compiled, and with
  /// options.max_bytes, as it keeps a copy of the matrix.
  std::optional<Product> product_in_blocks(const Exec& exec, const Matrix& A, int block,
                                           std::int64_t applies) const {
    constexpr int sizes_known = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 8;
    if (block > 8 || (sizes_known >> block & 1) == 0 || options.max_bytes != no_bound) return {};
    const std::string side = std::to_string(block);
    const Scheme scheme("bcsr", {{side + "x" + side}});
    const Device device = backends::describe(exec);
    const Sizes sizes = sizes_of<Matrix, S, S>(options.vectors);
    const RowFeatures rows = csr::rows_alike(A);
    const std::int64_t blocks = rows.nonzeros / (block * block);
    const Features features(rows, {}, [=](int, int) { return blocks; });
    const Prediction in_blocks = predict(formats.formats, scheme, features, device, sizes);
    if (!in_blocks.possible()) return {};
    const double saved =
        (csr_least_bytes(rows, sizes) - in_blocks.moved_bytes) / estimated_bytes_per_second(device);
    if (saved * static_cast<double>(applies) <= in_blocks.setup_seconds) return {};
    if constexpr (backends::has_lanes<Exec>) {
      const Scheme by_rows =
          csr::scheme_by_rows(rows, device, sizes, csr::gpu_tuning<backends::Tag<Exec>>);
      const Prediction in_csr = predict(formats.formats, by_rows, features, device, sizes);
      if (in_csr.possible() && in_csr.seconds <= in_blocks.seconds) return {};
    }
    SpmvOptions spmv = spmv_options(applies);
    spmv.scheme = scheme;
    return Product(exec, A, spmv, formats);
  }
  std::size_t bytes() const { return memory.bytes() + workspace.bytes(); }

 private:
  SpmvOptions spmv_options(std::int64_t expected_applies) const {
    SpmvOptions spmv;
    spmv.expected_applies = expected_applies;
    spmv.vectors = options.vectors;
    spmv.check = false;
    spmv.check_overlap = false;
    return spmv;
  }
};

/// The prolongation P of a level.
template <ExecutionSpace Exec, class Matrix>
class Prolongation {
 public:
  using S = typename Matrix::scalar_type;

  virtual ~Prolongation() = default;
  /// Replaces the values, for the level's matrix. No wait, no allocation.
  virtual void update_values(const Exec& exec, const Matrix& A, const SpectrumNumbers* numbers) = 0;
  virtual Matrix matrix() const = 0;
  /// The near-nullspace of the coarse level, whose nodes have as many rows as there are vectors.
  virtual NearNullspace<S> coarse_vectors() const = 0;
  virtual std::size_t bytes() const = 0;
};

/// P = (I - omega D^-1 F)^steps P0: F is A filtered to strong entries, P0 the tentative
/// prolongation.
template <ExecutionSpace Exec, class Matrix>
class SmoothedAggregation final : public Prolongation<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Makes the pattern; update_values sets the values. twice: two steps, else one. Allocates, and
  /// waits.
  SmoothedAggregation(const Exec& exec, const Matrix& A, const StrongNodes<Exec, Matrix>& nodes,
                      const Aggregates<Exec, O>& aggregates, const NearNullspace<S>& vectors,
                      bool twice)
      : vectors_(vectors),
        smoothing_(exec, A, nodes),
        tentative_(exec, aggregates.of(), aggregates.count(), nodes.block(), vectors),
        smoothed_(exec, smoothing_.matrix(), tentative_.prolongation.matrix(), vectors.vectors) {
    if (!twice) return;
    twice_.emplace(exec, smoothing_.matrix(), smoothed_.matrix(),
                   MultiplyOptions{.keep_products = false, .check = false});
  }

  void update_values(const Exec& exec, const Matrix& A, const SpectrumNumbers* numbers) override {
    smoothing_.update_values(exec, A, vectors_, numbers);
    smoothed_.numeric(exec, smoothing_.matrix(), tentative_.prolongation.matrix());
    if (twice_) twice_->numeric(exec, smoothing_.matrix(), smoothed_.matrix());
  }
  Matrix matrix() const override { return twice_ ? twice_->matrix() : smoothed_.matrix(); }
  NearNullspace<S> coarse_vectors() const override { return tentative_.coarse; }
  std::size_t bytes() const override {
    return smoothing_.bytes() + tentative_.prolongation.bytes() + tentative_.memory.bytes() +
           smoothed_.bytes() + (twice_ ? twice_->bytes() : 0);
  }

 private:
  NearNullspace<S> vectors_;
  SmoothingMatrix<Exec, Matrix> smoothing_;
  Tentative<Exec, S, O, Off> tentative_;
  SmoothedProlongation<Exec, Matrix> smoothed_;
  std::optional<MultiplyPlan<Exec, Matrix>> twice_;  ///< the second step
};

/// The tentative prolongation as P. For one vector its weights are the entries of the vector, not
/// normalized, so that the vector of the coarse level is constant: with a constant vector coarse
/// entries are sums of entries of A, exact wherever those sums are, and equal on every device.
template <ExecutionSpace Exec, class Matrix>
class PlainAggregation final : public Prolongation<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  /// Makes pattern and values. Allocates, and waits.
  PlainAggregation(const Exec& exec, const Aggregates<Exec, O>& aggregates, int block,
                   const NearNullspace<S>& vectors) {
    const O count = aggregates.count();
    if (vectors.vectors > 1) {
      const Tentative<Exec, S, O, Off> made(exec, aggregates.of(), count, block, vectors);
      P_ = made.prolongation;
      memory_ = made.memory;
      coarse_ = made.coarse;
      return;
    }
    coarse_ = {nullptr, count, 1};
    memory_ =
        Arena<Space>(exec, "heddle::multigrid::near_nullspace", arena_array(coarse_.data, count));
    fill(exec, "heddle::multigrid::near_nullspace", coarse_.data, count, S(1));
    O* key = nullptr;
    const Arena<Space> work(exec, "heddle::multigrid::members", arena_array(key, vectors.rows));
    parallel_for(exec, "heddle::multigrid::aggregate_of_row", vectors.rows,
                 AggregateOfRow<O>{aggregates.of(), count, block, key});
    constexpr RowLabels labels{"heddle::multigrid::count_tentative",
                               "heddle::multigrid::tentative_row_ptr",
                               "heddle::multigrid::put_tentative"};
    P_ = make_rows<S, O, Off>(exec, labels, vectors.rows, count, EntriesOfRow<O>{key, count, 1},
                              [&](const auto& storage) {
                                return PutTentative<S, O, Off>{key,
                                                               count,
                                                               vectors,
                                                               storage.row_ptr().data(),
                                                               storage.col_idx().data(),
                                                               storage.values().data()};
                              });
    exec.fence("heddle::multigrid::tentative");
  }

  void update_values(const Exec&, const Matrix&, const SpectrumNumbers*) override {}
  Matrix matrix() const override { return P_.matrix(); }
  NearNullspace<S> coarse_vectors() const override { return coarse_; }
  std::size_t bytes() const override { return P_.bytes() + memory_.bytes(); }

 private:
  CsrStorage<S, O, Off, Space> P_;
  Arena<Space> memory_;
  NearNullspace<S> coarse_{nullptr, 0, 1};
};

template <Offset Off>
struct IsEmptyRow {
  const Off* row_ptr;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return row_ptr[i] == row_ptr[i + 1]; }
};

/// A user's P; it stays unchanged when A gets new values.
template <ExecutionSpace Exec, class Matrix>
class GivenProlongation final : public Prolongation<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using Storage = typename MultigridParts<Exec, Matrix>::Prolongation;

  /// Throws Error if P does not fit A. Waits.
  GivenProlongation(const Exec& exec, const Matrix& A, Storage given, std::size_t l)
      : given_(std::move(given)) {
    if (given_.rows() != A.rows()) {
      throw Error("the prolongation of level " + std::to_string(l) + " has " +
                      std::to_string(given_.rows()) + " rows, and its matrix " +
                      std::to_string(A.rows()),
                  "give a row for each of the matrix");
    }
    check_csr(exec, given_.matrix());
  }
  void update_values(const Exec&, const Matrix&, const SpectrumNumbers*) override {}
  Matrix matrix() const override { return given_.matrix(); }
  NearNullspace<S> coarse_vectors() const override { return {nullptr, given_.columns(), 1}; }
  std::size_t bytes() const override { return given_.bytes(); }

 private:
  Storage given_;
};

template <Ordinal O>
struct IsNoAggregate {
  const O* aggregate;
  O count;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return aggregate[i] < -1 || aggregate[i] >= count;
  }
};
template <Ordinal O>
struct IsZero {
  const O* of;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return of[i] == 0; }
};

/// The user's aggregates of level l. Throws Error, naming node or aggregate, if they are invalid.
template <ExecutionSpace Exec, class Matrix>
auto given_aggregates(const Exec& exec, const Matrix& A, std::int64_t nodes, std::size_t l,
                      const MultigridParts<Exec, Matrix>& parts) {
  using O = typename Matrix::ordinal_type;
  const std::string level = " of level " + std::to_string(l);
  Aggregates<Exec, O> made(exec, nodes, [&](O* aggregate) {
    return parts.aggregates(exec, static_cast<int>(l), A,
                            typename MultigridParts<Exec, Matrix>::Aggregates(
                                aggregate, static_cast<std::size_t>(nodes)));
  });
  const O count = made.count();
  if (count == 0) return made;
  const std::int64_t node = lowest_where(exec, "heddle::multigrid::check_parts", nodes,
                                         IsNoAggregate<O>{made.of(), count});
  if (count < 0 || node < nodes) {
    throw Error("the aggregate of node " + std::to_string(node) + level + " is none of " +
                    std::to_string(count),
                "give -1, or a number below the count that the function returns");
  }
  O* members = nullptr;
  const Arena<typename Exec::memory_space> work(exec, "heddle::multigrid::members",
                                                arena_array(members, count));
  fill(exec, "heddle::multigrid::no_members", members, count, O(0));
  parallel_for(exec, "heddle::multigrid::count_members", nodes,
               CountMembers<O>{made.of(), members});
  const std::int64_t empty =
      lowest_where(exec, "heddle::multigrid::check_parts", count, IsZero<O>{members});
  if (empty < count) {
    throw Error("aggregate " + std::to_string(empty) + level + " has no node",
                "number those that have one");
  }
  return made;
}

/// Sets the magnitudes of a coarse level, a thread for each node. An unknown whose diagonal entry
/// has cancelled to rounding, since its vector is in the nullspace, gets its magnitude as diagonal
/// entry. An unknown without a vector gets the smallest diagonal entry of its node, so that it does
/// not affect strength.
template <class Matrix>
struct RepairDiagonal {
  using S = typename Matrix::scalar_type;
  Matrix A;
  S* values;
  Matrix restriction;
  const double* fine_magnitude;
  double* magnitude;
  int vectors;

  KOKKOS_FUNCTION void operator()(std::int64_t node) const {
    const std::int64_t first = node * vectors;
    double smallest = 0;
    for (std::int64_t i = first; i < first + vectors; ++i) {
      magnitude[i] = sum_of_fine(i, true);
      if (magnitude[i] == 0) continue;
      S* const entry = diagonal(i);
      if (static_cast<double>(Kokkos::abs(*entry)) <= rounding_of_magnitude<S> * magnitude[i]) {
        *entry = number(magnitude[i]);
      }
      const auto size = static_cast<double>(Kokkos::abs(*entry));
      if (smallest == 0 || size < smallest) smallest = size;
    }
    for (std::int64_t i = first; i < first + vectors; ++i) {
      if (magnitude[i] != 0) continue;
      magnitude[i] = smallest > 0 ? smallest : sum_of_fine(i, false);
      *diagonal(i) = number(magnitude[i]);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static S number(double size) {
    return S(static_cast<heddle::RealOf<S>>(size));
  }
  KOKKOS_FORCEINLINE_FUNCTION S* diagonal(std::int64_t i) const {
    auto k = A.row_ptr().data()[i];
    while (static_cast<std::int64_t>(A.col_idx().data()[k]) != i) ++k;
    return values + k;
  }
  /// The sum weighted with squares of restriction entries, or the mean.
  KOKKOS_FORCEINLINE_FUNCTION double sum_of_fine(std::int64_t i, bool weighted) const {
    const auto begin = restriction.row_ptr().data()[i], end = restriction.row_ptr().data()[i + 1];
    double sum = 0;
    for (auto k = begin; k < end; ++k) {
      const double weight = weighted ? square_of(restriction.values().data()[k])
                                     : 1 / static_cast<double>(end - begin);
      sum += weight * fine_magnitude[restriction.col_idx().data()[k]];
    }
    return sum;
  }
};

/// The transfer between a level and the next coarser one, and the matrix of that one.
template <ExecutionSpace Exec, class Matrix>
struct Coarsening {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using SharedParts = Shared<Exec, Matrix>;

  std::unique_ptr<Prolongation<Exec, Matrix>> prolongation;
  DerivedCsr<Exec, S, O, Off> restriction;
  CoarseMatrix<Exec, Matrix> coarse;
  std::optional<typename SharedParts::Product> prolong, restrict_to;  ///< none on small levels

  /// Coarsens level l with matrix A. Allocates, and waits.
  Coarsening(const Exec& exec, const Matrix& A, std::unique_ptr<Prolongation<Exec, Matrix>> by,
             const SpectrumNumbers* numbers, std::size_t l, const SharedParts& shared)
      : prolongation(std::move(by)) {
    prolongation->update_values(exec, A, numbers);
    // A was checked, and the matrices made here are valid.
    const Matrix P = prolongation->matrix();
    restriction = stored_op(exec, P, Op::conjugate_transpose, false, false);
    if (shared.parts.prolongation) check_columns(exec, l);
    // Rows of a user's P may be long, and have repeated columns; with several vectors for each
    // aggregate, A P repeats too few columns. On CPUs two products are faster.
    const int vectors = prolongation->coarse_vectors().vectors;
    const bool one_walk = backends::has_lanes<Exec> && !shared.parts.prolongation && vectors == 1;
    coarse = shared.plain()
                 ? CoarseMatrix<Exec, Matrix>(exec, A, P, vectors)
                 : CoarseMatrix<Exec, Matrix>(exec, restriction.matrix(), A, P, one_walk);
    repair_diagonal(exec, l, shared);
  }
  /// block: rows of a node of the finer level, if they all have the same columns, else 1.
  void make_products(const Exec& exec, const SharedParts& shared, int block) {
    const bool square = block == prolongation->coarse_vectors().vectors;
    const auto product = [&](const Matrix& of) {
      auto in_blocks =
          shared.product_in_blocks(exec, of, square ? block : 1, shared.options.expected_applies);
      return in_blocks ? std::move(*in_blocks) : shared.product_of_made(exec, of);
    };
    prolong.emplace(product(prolongation->matrix()));
    restrict_to.emplace(product(restriction.matrix()));
  }
  void update_values(const Exec& exec, const Matrix& A, const SpectrumNumbers* numbers,
                     std::size_t l, const SharedParts& shared) {
    const bool P_stays = shared.plain() || shared.parts.prolongation;
    if (!P_stays) {
      prolongation->update_values(exec, A, numbers);
      restriction.update_values(exec, prolongation->matrix());
    }
    coarse.update_values(exec, restriction.matrix(), A, prolongation->matrix());
    repair_diagonal(exec, l, shared);
    if (!prolong || P_stays) return;
    prolong->update_values(exec, prolongation->matrix());
    restrict_to->update_values(exec, restriction.matrix());
  }
  std::size_t bytes() const {
    return prolongation->bytes() + restriction.bytes() + coarse.bytes() +
           (prolong ? prolong->bytes() + restrict_to->bytes() : 0);
  }

 private:
  /// Throws Error for a column without entries, which would have no coarse diagonal entry.
  void check_columns(const Exec& exec, std::size_t l) const {
    const std::int64_t columns = restriction.rows();
    const std::int64_t empty = lowest_where(exec, "heddle::multigrid::check_parts", columns,
                                            IsEmptyRow<Off>{restriction.matrix().row_ptr().data()});
    if (empty < columns) {
      throw Error("column " + std::to_string(empty) + " of the prolongation of level " +
                      std::to_string(l) + " has no entry",
                  "leave it out");
    }
  }
  void repair_diagonal(const Exec& exec, std::size_t l, const SharedParts& shared) {
    const int vectors = prolongation->coarse_vectors().vectors;
    parallel_for(exec, "heddle::multigrid::repair_diagonal",
                 std::int64_t{coarse.matrix().rows()} / vectors,
                 RepairDiagonal<Matrix>{coarse.matrix(), coarse.storage().values().data(),
                                        restriction.matrix(), shared.magnitude[l % 2],
                                        shared.magnitude[(l + 1) % 2], vectors});
  }
};

}  // namespace heddle::detail::multigrid
