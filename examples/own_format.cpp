// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A format of one's own: dense tiles of 4 x 4, for matrices with clustered entries.
// docs/own-format.md explains it step by step.
#include <cstdio>
#include <heddle/format.hpp>
#include <heddle/recipes.hpp>
#include <heddle/spmv.hpp>
#include <memory>
#include <vector>

#include "matrices.hpp"

namespace mine {

using namespace heddle;
constexpr int tile = 4;

/// The place of each entry: row i goes into panel i / 4, column k into tile k / 4 of that panel.
using Map = decltype(recipe::tile_rows(tile) | recipe::tile_columns(tile));

/// The tiles of one matrix, and their application. Vectors are of type V; sums and alpha of Acc.
template <class Exec, class Matrix, class V, class Acc>
class TileExecutor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  TileExecutor(const Exec& exec, const Matrix& A, const Scheme& scheme)
      : scheme_(scheme),
        tiles_(exec, A, recipe::tile_rows(tile) | recipe::tile_columns(tile), "mine::tiles") {}

  const Scheme& scheme() const override { return scheme_; }
  std::size_t bytes() const override { return tiles_.bytes(); }
  double moved_bytes(Op, int vectors, bool with_beta) const override {
    const double entries = tiles_.view().columns + (1.0 + with_beta) * tiles_.view().rows;
    return static_cast<double>(bytes()) + vectors * sizeof(V) * entries;
  }
  void update_values(const Exec& exec, const Matrix& A) override { tiles_.update_values(exec, A); }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    const auto A = tiles_.view();
    const std::int64_t rows = A.rows;
    Kokkos::parallel_for(
        "mine::tiles::apply", range_policy(exec, rows * y.count), KOKKOS_LAMBDA(std::int64_t n) {
          const std::int64_t row = n % rows;
          const int vector = static_cast<int>(n / rows);
          const std::int64_t panel = row / tile, inner_row = row % tile;
          Acc sum(0);
          for (std::int64_t b = A.key_ptr[panel]; b < A.key_ptr[panel + 1]; ++b) {
            const std::int64_t first_column = std::int64_t{tile} * A.keys[b];
            for (int c = 0; c < tile; ++c) {
              const auto entry = product.entry(A(b, inner_row, c));
              // Places without an entry hold zero: their x is not used.
              if (entry != 0.0) sum += product.product(entry, first_column + c, vector);
            }
          }
          product.store(row, vector, sum);
        });
  }

 private:
  Scheme scheme_;
  recipe::StoredBlocks<Exec, Matrix, Map> tiles_;
};

/// Answers to a plan: the schemes that exist, those worth trying, what they cost, and the executor
/// of one of them.
struct TileFormat {
  static constexpr const char* name = "tiles";
  static SchemeGrammar grammar(const Device&) { return {name, {}}; }
  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }
  static bool applies(Op op, const Scheme&) { return !transposes(op); }

  /// Assumes that tiles are full, and a guess of the bandwidth: a plan that measures
  /// (SpmvOptions::measure_seconds) relies on neither.
  static Prediction predict(const Scheme&, const Features& features, const Device&,
                            const Sizes& sizes) {
    constexpr double bytes_per_second = 10e9;
    const double kept = sizes.scalar_bytes * static_cast<double>(features.rows().nonzeros);
    const double moved = kept + vector_bytes(features.rows(), sizes);
    const double seconds = moved / bytes_per_second;
    return {seconds, 20 * seconds, moved, kept, false, "values are read without an index of each"};
  }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    return std::make_unique<TileExecutor<Exec, Matrix, V, Acc>>(in.exec, in.A, scheme);
  }
};

}  // namespace mine

using example::Array, example::Exec;

/// A chain of nodes with four unknowns each, all coupled to all unknowns of the node's neighbours.
example::Matrix chain_of_nodes(const Exec& exec, int nodes) {
  const int n = 4 * nodes, entries = 16 * (3 * nodes - 2);
  const example::Matrix A{n, Array<int>("example::row_ptr", n + 1),
                          Array<int>("example::col_idx", entries),
                          Array<double>("example::values", entries)};
  Kokkos::parallel_scan(
      "example::chain", Kokkos::RangePolicy<Exec>(exec, 0, n + 1),
      KOKKOS_LAMBDA(int i, int& k, bool last) {
        if (last) A.row_ptr(i) = k;
        if (i == n) return;
        const int node = i / 4, first = node > 0 ? node - 1 : 0;
        for (int j = 4 * first; j < 4 * (node + 2) && j < n; ++j, ++k) {
          if (last) A.col_idx(k) = j;
          if (last) A.values(k) = 1 + (i + j) % 3;
        }
      });
  exec.fence();
  return A;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const example::Matrix stored = chain_of_nodes(exec, 1000);
  const auto A = stored.csr();

  // The format together with the library's, and pinned: a plan without `.scheme` chooses the scheme
  // that is predicted to be the fastest.
  using Formats = heddle::Formats<heddle::CsrFormat, mine::TileFormat>;
  heddle::SpmvPlan tiles(exec, A, {.scheme = "tiles"}, Formats());
  heddle::SpmvPlan chosen(exec, A, {}, Formats());
  for (const heddle::RankedScheme& ranked : chosen.ranking()) {
    std::printf("%s\n", ranked.to_string().c_str());
  }

  const Array<double> x("example::x", A.columns()), y("example::y", A.rows()),
      expected("example::expected", A.rows());
  Kokkos::parallel_for(
      "example::fill", Kokkos::RangePolicy<Exec>(exec, 0, A.columns()),
      KOKKOS_LAMBDA(int i) { x(i) = i % 10; });
  tiles.apply(exec, 1.0, x, 0.0, y);
  heddle::spmv(exec, 1.0, A, x, 0.0, expected);
  const double error = example::largest_difference(exec, y, expected);
  std::printf("%s: %zu bytes, error %.1e\n", tiles.scheme().to_string().c_str(), tiles.bytes(),
              error);
  return error == 0 ? 0 : 1;
}
