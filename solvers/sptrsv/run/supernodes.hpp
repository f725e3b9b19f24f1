// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch_simd.hpp"
#include "../../../core/multivector.hpp"
#include "../../wavefronts/wavefronts.hpp"
#include "../select/choose.hpp"
#include "../transform/supernodes.hpp"
#include "operands.hpp"
#include "rows.hpp"

namespace heddle::detail::sptrsv {

/// x = alpha * op(T)^-1 * b for a run of supernodes, by one CPU thread. The values that a supernode
/// needs are solved before it, and are read from x.
///
/// The rows of a supernode are the lanes of packs, so that a column and its value of x are read
/// once for all rows. A pack wider than a supernode reads into the next column; the sums of those
/// lanes are dropped.
template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct SupernodesKernel {
  using Scratch = backends::NoScratch;
  using D = triangle::DiagonalOf<S, V>;

  SupernodeView<S, O, Off, D> T;
  bool conjugate;
  Acc alpha;
  Multivector<const V> b;
  Multivector<V> x;
  std::int64_t first, stop;  ///< supernodes of the run

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team&, Scratch&) const {
    if constexpr (is_complex<S>) {
      if (conjugate) return solve_all<Team, true>();
    }
    solve_all<Team, false>();
  }

 private:
  template <class Team, bool Conjugate>
  KOKKOS_FORCEINLINE_FUNCTION void solve_all() const {
    for (std::int64_t g = first; g < stop;) g = solve_alike<Team, Conjugate, 1>(g);
  }

  /// Solves the supernodes from g on that have as many rows as g; returns the next. Each number of
  /// rows has a loop of its own, so that sums and pointers stay in registers.
  template <class Team, bool Conjugate, int Rows>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t solve_alike(std::int64_t g) const {
    if constexpr (Rows < most_supernode_rows) {
      if (rows_of(g) != Rows) return solve_alike<Team, Conjugate, Rows + 1>(g);
    }
    do {
      for (int vector = 0; vector < x.count; ++vector) solve<Team, Conjugate, Rows>(g, vector);
      ++g;
    } while (g < stop && rows_of(g) == Rows);
    return g;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t rows_of(std::int64_t g) const {
    return T.place[g + 1] - T.place[g];
  }

  template <class Team, bool Conjugate, int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void solve(std::int64_t g, int vector) const {
    const O* const columns = T.col_idx + T.column_ptr[g];
    const std::int64_t count = T.column_ptr[g + 1] - T.column_ptr[g] - 1;
    const S* const values = T.values + T.value_ptr[g];
    const std::int64_t row = columns[count];
    Acc difference[Rows];
    for (int m = 0; m < Rows; ++m) difference[m] = alpha * Acc(b(row + m * T.step, vector));
    V* const to = x.data + vector * x.vector_stride;
    const auto known = [&](std::int64_t column) {
      return Acc(to[static_cast<std::int64_t>(columns[column]) * x.row_stride]);
    };
    if constexpr (Rows == 1) {
      difference[0] = row_difference(
          difference[0], std::int64_t{0}, count,
          [&](std::int64_t column) { return value<Conjugate>(values[column]) * known(column); });
    } else {
      subtract_shared<backends::Pack<Team, Acc>, Conjugate>(values, count, known, difference);
    }
    const S* inner = values + count * Rows;
    for (int m = 0; m < Rows; ++m) {
      const V solved = quotient<Conjugate>(difference[m], T.place[g] + m);
      to[(row + m * T.step) * x.row_stride] = solved;
      for (int later = m + 1; later < Rows; ++later) {
        difference[later] -= value<Conjugate>(*inner++) * Acc(solved);
      }
    }
  }

  template <bool Conjugate, Scalar Entry>
  KOKKOS_FORCEINLINE_FUNCTION static Acc value(const Entry& entry) {
    return Acc(Conjugate ? heddle::conjugate(entry) : entry);
  }

  /// Subtracts from each row its products with the known values of the shared columns. They are
  /// added up in several independent sums, to hide the latency of additions. The last columns,
  /// which in a lower triangle are solved last, are added last.
  template <class Pack, bool Conjugate, int Rows, class Known>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract_shared(const S* values, std::int64_t count,
                                                          const Known& known,
                                                          Acc (&difference)[Rows]) {
    constexpr int packs = (Rows + Pack::width - 1) / Pack::width;
    constexpr int chains = packs < 4 ? 4 / packs : 1;
    Pack sum[chains][packs];
    for (int c = 0; c < chains; ++c) {
      for (int p = 0; p < packs; ++p) sum[c][p] = Pack::zero();
    }
    const auto add = [&](int chain, std::int64_t column) {
      const Pack all = Pack::all(known(column));
      for (int p = 0; p < packs; ++p) {
        Pack entries = Pack::load(values + column * Rows + p * Pack::width);
        if constexpr (Conjugate) entries = Pack::conjugate(entries);
        sum[chain][p] = Pack::multiply_add(entries, all, sum[chain][p]);
      }
    };
    std::int64_t column = 0;
    for (; column < count % chains; ++column) add(0, column);
    for (; column < count; column += chains) {
      for (int c = 0; c < chains; ++c) add(c, column + c);
    }
    for (int p = 0; p < packs; ++p) {
      for (int c = 1; c < chains; ++c) sum[0][p] = Pack::add(sum[0][p], sum[c][p]);
      for (int i = 0; i < Pack::width && p * Pack::width + i < Rows; ++i) {
        difference[p * Pack::width + i] -= sum[0][p].lane(i);
      }
    }
  }

  /// Returns difference / diagonal of the row at a place.
  template <bool Conjugate>
  KOKKOS_FORCEINLINE_FUNCTION V quotient(const Acc& difference, std::int64_t place) const {
    const Acc reciprocal = value<Conjugate>(T.reciprocal[place]);
    if (reciprocal == Acc(0)) {
      return static_cast<V>(difference / value<Conjugate>(T.diagonal[place]));
    }
    return static_cast<V>(difference * reciprocal);
  }
};

/// Runs sptrsv/supernodes: wavefronts of a loop over supernodes, on CPU threads.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class SupernodesExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  SupernodesExecutor() = default;

  SupernodesExecutor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme)
      : SupernodesExecutor(in, scheme, Supernodes<Exec, O>(in.exec, in.graph)) {}

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return waves_.levels(); }
  std::size_t bytes() const { return triangle_.bytes() + waves_.bytes(); }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, bad_diagonal);
  }

  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    waves_.for_each_run(exec, "heddle::sptrsv::supernodes", kernel(conjugate, alpha, b, x));
  }

  /// Solves a run of supernodes.
  struct Run {
    SupernodesKernel<S, O, Off, V, Acc> kernel;
    backends::Simd simd;

    void operator()(std::int64_t first, std::int64_t stop) const {
      auto part = kernel;
      part.first = first;
      part.stop = stop;
      backends::run_simd<Exec>(part, simd);
    }
  };
  Run kernel(bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) const {
    return {{triangle_.view(), conjugate, alpha, b, x, 0, triangle_.supernodes()}, simd_};
  }
  const Wavefronts<Exec, O>& waves() const { return waves_; }
  const auto& triangle() const { return triangle_; }

 private:
  using Waves = Wavefronts<Exec, O>;
  using Copy = SupernodeTriangle<Exec, S, O, Off, triangle::DiagonalOf<S, V>>;

  SupernodesExecutor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme,
                     const Supernodes<Exec, O>& supernodes)
      : waves_(schedule(in, scheme, supernodes)),
        triangle_(in.exec, in.T, in.graph, in.origin, supernodes, waves_.place_order(),
                  in.diagonal),
        scheme_(as_supernodes(waves_.scheme())),
        simd_(backends::best_simd()) {}

  static Waves schedule(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme,
                        const Supernodes<Exec, O>& supernodes) {
    const std::optional<Scheme> pinned = wavefronts_of_supernodes(scheme);
    if (pinned && pinned->has("sequential")) return Waves::in_order(in.exec, supernodes.count());
    const SupernodeReads<O, Off> reads{in.graph, supernodes.first(), supernodes.of()};
    return Waves(in.exec, supernodes.count(), reads,
                 {.scheme = pinned, .threads = in.threads, .least_gain = least_gain});
  }

  Waves waves_;
  Copy triangle_;
  Scheme scheme_;
  backends::Simd simd_ = backends::Simd::none;
};

}  // namespace heddle::detail::sptrsv
