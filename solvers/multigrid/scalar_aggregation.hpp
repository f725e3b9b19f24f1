// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "coarsening.hpp"
#include "prolongation.hpp"

/// The smoothed prolongation for one near-nullspace vector and nodes of one row: the tentative
/// prolongation is an aggregate and a weight for each row, and P is made from A itself. Neither the
/// smoothing matrix nor the tentative prolongation is stored as a matrix.
namespace heddle::detail::multigrid {

/// The tentative prolongation: the vector, normalized within each aggregate by a subwarp. Its norms
/// are the near-nullspace vector of the coarse level.
template <Scalar S, Ordinal O, Offset Off>
struct NormalizeWithinAggregate {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<8, 128>;

  const Off* first;
  const Off* members;
  const S* vector;
  S* weight;  ///< written for rows with an aggregate
  S* norms;
  std::int64_t aggregates;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t a = team.index() * Team::subwarps + team.subwarp_index();
    if (a >= aggregates) return;
    double sum = 0;
    for (Off k = first[a] + static_cast<Off>(subwarp.lane()); k < first[a + 1];
         k += Team::subwarp_width) {
      const auto size = static_cast<double>(Kokkos::abs(vector[members[k]]));
      sum += size * size;
    }
    const auto norm = static_cast<heddle::RealOf<S>>(Kokkos::sqrt(subwarp.sum(sum)));
    // A norm that is infinite or no number makes the aggregate's column zero too.
    const bool is_zero = !(norm > norm / 2);
    const S scale = is_zero ? S(0) : S(1 / norm);
    for (Off k = first[a] + static_cast<Off>(subwarp.lane()); k < first[a + 1];
         k += Team::subwarp_width) {
      weight[members[k]] = vector[members[k]] * scale;
    }
    if (subwarp.lane() == 0) norms[a] = is_zero ? S(0) : S(norm);
  }
};

/// The entries of A that P is made from, and the tentative prolongation.
template <class Matrix>
struct AggregatedEntries {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;

  Matrix A;
  const unsigned char* strong;  ///< of each entry of A; 1 on the diagonal
  const O* aggregate;           ///< of each row, or `none`
  O none;                       ///< the number of aggregates
  const S* weight;              ///< of each row with an aggregate

  /// Entries of a row that a lane holds in registers.
  static constexpr int held = 4;

  KOKKOS_FORCEINLINE_FUNCTION O aggregate_of(std::int64_t k) const {
    return strong[k] ? aggregate[A.col_idx().data()[k]] : none;
  }
};

/// Lists the aggregates of a row's strong entries, in ascending order from the begin of A's row on,
/// and counts them. A subwarp finds the next one as the least that is above the last one; if the
/// row is too long for its registers, one lane sorts them.
template <class Matrix, int Lanes>
struct ListAggregatesOfRow {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<Lanes, 128>;

  AggregatedEntries<Matrix> of;
  O* list;
  Off* lengths;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    constexpr int held = AggregatedEntries<Matrix>::held, width = Team::subwarp_width;
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= of.A.rows()) return;
    const auto begin = static_cast<std::int64_t>(of.A.row_ptr().data()[row]);
    const auto end = static_cast<std::int64_t>(of.A.row_ptr().data()[row + 1]);
    if (end - begin > held * width) {
      if (subwarp.lane() == 0) lengths[row] = sorted_by_one_lane(begin, end);
      return;
    }
    O mine[held];
    for (int h = 0; h < held; ++h) {
      const std::int64_t k = begin + h * width + subwarp.lane();
      mine[h] = k < end ? of.aggregate_of(k) : of.none;
    }
    std::int64_t count = 0;
    for (O last = -1;;) {
      O least = of.none;
      for (int h = 0; h < held; ++h) {
        if (mine[h] > last && mine[h] < least) least = mine[h];
      }
      last = static_cast<O>(-subwarp.max(static_cast<O>(-least)));
      if (last == of.none) break;
      if (subwarp.lane() == 0) list[begin + count] = last;
      ++count;
    }
    if (subwarp.lane() == 0) lengths[row] = static_cast<Off>(count);
  }

 private:
  KOKKOS_FUNCTION Off sorted_by_one_lane(std::int64_t begin, std::int64_t end) const {
    AscendingList<O, Off> found(list + begin, static_cast<Off>(end - begin));
    for (std::int64_t k = begin; k < end; ++k) {
      const O aggregate = of.aggregate_of(k);
      if (aggregate != of.none) found.add(aggregate);
    }
    found.finish();
    return found.count;
  }
};

/// Values of P = (I - omega D^-1 F) P0, with omega = 4 / 3 over the bound of the spectrum. F is A
/// without its weak entries, which are added to the diagonal D, unless that would remove most of
/// it: so the product with the near-nullspace vector is unchanged.
template <class Matrix, int Lanes>
struct SmoothedValues {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<Lanes, 128>;

  AggregatedEntries<Matrix> of;
  const S* vector;
  const SpectrumNumbers* numbers;
  const Off* row_ptr;
  const O* col_idx;
  S* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    constexpr int held = AggregatedEntries<Matrix>::held, width = Team::subwarp_width;
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= of.A.rows()) return;
    const auto begin = static_cast<std::int64_t>(of.A.row_ptr().data()[row]);
    const auto end = static_cast<std::int64_t>(of.A.row_ptr().data()[row + 1]);
    const O* const columns_of_A = of.A.col_idx().data();
    const S* const values_of_A = of.A.values().data();
    S diagonal(0), weak(0);
    for (std::int64_t k = begin + subwarp.lane(); k < end; k += width) {
      const auto j = static_cast<std::int64_t>(columns_of_A[k]);
      if (j == row) {
        diagonal += values_of_A[k];
      } else if (!of.strong[k]) {
        weak += values_of_A[k] * vector[j];
      }
    }
    diagonal = subwarp.sum(diagonal);
    weak = subwarp.sum(weak);
    const S own = vector[row];
    const S lumped = own == S(0) ? diagonal : diagonal + weak / own;
    if (real_part(lumped) > heddle::RealOf<S>(0.1) * real_part(diagonal)) diagonal = lumped;
    if (spectrum::is_bad(diagonal)) diagonal = S(1);
    const auto omega = static_cast<heddle::RealOf<S>>(4 / (3 * numbers->bound));
    const S factor = S(-omega) / diagonal;
    const auto term = [&](std::int64_t k) {
      const auto j = static_cast<std::int64_t>(columns_of_A[k]);
      return (j == row ? S(1 - omega) : factor * values_of_A[k]) * of.weight[j];
    };

    const auto first = static_cast<std::int64_t>(row_ptr[row]);
    const std::int64_t count = static_cast<std::int64_t>(row_ptr[row + 1]) - first;
    if (end - begin > held * width) {
      if (subwarp.lane() == 0) sum_by_one_lane(begin, end, first, count, term);
      return;
    }
    O mine[held];
    S terms[held];
    for (int h = 0; h < held; ++h) {
      const std::int64_t k = begin + h * width + subwarp.lane();
      mine[h] = k < end ? of.aggregate_of(k) : of.none;
      terms[h] = mine[h] != of.none ? term(k) : S(0);
    }
    for (std::int64_t p = first; p < first + count; ++p) {
      S sum(0);
      for (int h = 0; h < held; ++h) {
        if (mine[h] == col_idx[p]) sum += terms[h];
      }
      sum = subwarp.sum(sum);
      if (subwarp.lane() == 0) values[p] = sum;
    }
  }

 private:
  template <class Term>
  KOKKOS_FORCEINLINE_FUNCTION void sum_by_one_lane(std::int64_t begin, std::int64_t end,
                                                   std::int64_t first, std::int64_t count,
                                                   const Term& term) const {
    for (std::int64_t p = first; p < first + count; ++p) values[p] = S(0);
    for (std::int64_t k = begin; k < end; ++k) {
      const O aggregate = of.aggregate_of(k);
      if (aggregate == of.none) continue;
      values[first + first_not_below(col_idx + first, count, aggregate)] += term(k);
    }
  }
};

/// P by smoothed aggregation, for one near-nullspace vector and nodes of one row.
template <ExecutionSpace Exec, class Matrix>
class ScalarAggregation final : public Prolongation<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  static bool fits(const StrongNodes<Exec, Matrix>& nodes, const NearNullspace<S>& vectors) {
    return nodes.block() == 1 && vectors.vectors == 1;
  }

  /// Makes the pattern; update_values sets the values. Allocates, and waits.
  ScalarAggregation(const Exec& exec, const Matrix& A, const StrongNodes<Exec, Matrix>& nodes,
                    const Aggregates<Exec, O>& aggregates, const NearNullspace<S>& vectors)
      : vectors_(vectors), count_(aggregates.count()) {
    const std::int64_t rows = A.rows(), entries = static_cast<std::int64_t>(A.nonzeros());
    memory_ = Arena<Space>(exec, "heddle::multigrid::weights", arena_array(strong_, entries),
                           arena_array(aggregate_, rows), arena_array(weight_, rows),
                           arena_array(norms_, count_));
    copy(exec, "heddle::multigrid::strong", strong_, entries, nodes.marks());
    const Members<Exec, O, Off> members(exec, aggregates.of(), count_, 1, rows, aggregate_);
    run(exec, "heddle::multigrid::weights", std::int64_t{count_},
        NormalizeWithinAggregate<S, O, Off>{members.first, members.members, vectors.data, weight_,
                                            norms_, count_});
    make_pattern(exec, A);
  }

  void update_values(const Exec& exec, const Matrix& A, const SpectrumNumbers* numbers) override {
    with_lanes(A, [&](auto lanes) {
      run(exec, "heddle::multigrid::smoothed_values", std::int64_t{A.rows()},
          SmoothedValues<Matrix, lanes()>{entries_of(A), vectors_.data, numbers,
                                          storage_.row_ptr().data(), storage_.col_idx().data(),
                                          storage_.values().data()});
    });
  }
  Matrix matrix() const override { return storage_.matrix(); }
  NearNullspace<S> coarse_vectors() const override { return {norms_, count_, 1}; }
  std::size_t bytes() const override { return memory_.bytes() + storage_.bytes(); }

 private:
  void make_pattern(const Exec& exec, const Matrix& A) {
    const std::int64_t rows = A.rows();
    O* list = nullptr;
    Off* starts = nullptr;
    const Arena<Space> work(exec, "heddle::multigrid::aggregates_of_rows",
                            arena_array(list, A.nonzeros()), arena_array(starts, rows + 1));
    with_lanes(A, [&](auto lanes) {
      run(exec, "heddle::multigrid::list_aggregates", rows,
          ListAggregatesOfRow<Matrix, lanes()>{entries_of(A), list, starts});
    });
    const std::int64_t entries = running_sum_and_total(
        exec, "heddle::multigrid::prolongation_row_ptr", starts, rows, Terms<Off>{starts});
    storage_ = CsrStorage<S, O, Off, Space>(exec, rows, count_, entries);
    copy(exec, "heddle::multigrid::prolongation_row_ptr", storage_.row_ptr().data(), rows + 1,
         starts);
    parallel_for(exec, "heddle::multigrid::put_prolongation", rows,
                 PutProlongation<Matrix>{A.row_ptr().data(), list, storage_.row_ptr().data(),
                                         storage_.col_idx().data(), 1});
    exec.fence("heddle::multigrid::prolongation");
  }

  AggregatedEntries<Matrix> entries_of(const Matrix& A) const {
    return {A, strong_, aggregate_, count_, weight_};
  }
  /// use(std::integral_constant of the lanes of a row).
  template <class Use>
  static void with_lanes(const Matrix& A, const Use& use) {
    if (static_cast<std::int64_t>(A.nonzeros()) > 16 * std::int64_t{A.rows()}) {
      use(std::integral_constant<int, 32>());
    } else {
      use(std::integral_constant<int, 8>());
    }
  }
  /// Runs a kernel with a subwarp for each of n items.
  template <class Kernel>
  static void run(const Exec& exec, const char* label, std::int64_t n, const Kernel& kernel) {
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    backends::launch<typename Kernel::Shape>(exec, label, ceil_div(n, std::int64_t{Team::subwarps}),
                                             kernel);
  }

  NearNullspace<S> vectors_;
  O count_;
  Arena<Space> memory_;
  unsigned char* strong_ = nullptr;
  O* aggregate_ = nullptr;
  S* weight_ = nullptr;
  S* norms_ = nullptr;
  CsrStorage<S, O, Off, Space> storage_;
};

}  // namespace heddle::detail::multigrid
