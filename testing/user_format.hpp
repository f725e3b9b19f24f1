// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A format as a user would write it, outside of the library: small matrices, stored dense.
#pragma once
#include <heddle/format.hpp>
namespace user {
using namespace heddle;

template <class Exec, class Matrix, class V, class Acc>
struct DenseExecutor final : SpmvExecutor<Exec, Matrix, V, Acc> {
  using Rows = Kokkos::RangePolicy<KokkosSpace<Exec>>;
  Scheme name{"dense"};
  Kokkos::View<typename Matrix::scalar_type**, typename Exec::memory_space> entries;
  DenseExecutor(const Exec& exec, const Matrix& A)
      : entries(Kokkos::view_alloc(kokkos_space(exec), "heddle::dense::a"), A.rows(), A.columns()) {
    update_values(exec, A);
  }
  const Scheme& scheme() const override { return name; }
  std::size_t bytes() const override { return entries.size() * sizeof(*entries.data()); }
  double moved_bytes(Op, int vectors, bool beta) const override {
    return bytes() + (1.0 + beta) * vectors * sizeof(V) * (entries.extent(0) + entries.extent(1));
  }
  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    const auto A = entries;
    const auto apply_row = KOKKOS_LAMBDA(std::int64_t i) {
      const int row = static_cast<int>(i % y.rows), vector = static_cast<int>(i / y.rows);
      Acc sum(0);
      for (int k = 0; k < x.rows; ++k) {
        const auto entry = product.entry(transposes(op) ? A(k, row) : A(row, k));
        if (entry != 0.0) sum += product.product(entry, k, vector);  // never 0 * infinity
      }
      product.store(row, vector, sum);
    };
    Kokkos::parallel_for("heddle::dense::apply", Rows(exec, 0, y.rows * y.count), apply_row);
  }
  void update_values(const Exec& exec, const Matrix& A) override {
    const auto to = entries;
    const auto fill_row = KOKKOS_LAMBDA(std::int64_t i) {
      for (int j = 0; j < A.columns(); ++j) to(i, j) = 0;
      for (auto k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k)
        to(i, A.col_idx()(k)) += A.values()(k);
    };
    Kokkos::parallel_for("heddle::dense::fill", Rows(exec, 0, A.rows()), fill_row);
  }
};

struct DenseFormat {
  static constexpr const char* name = "dense";
  static SchemeGrammar grammar(const Device&) { return {name, {}}; }
  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }
  static bool applies(Op, const Scheme&) { return true; }
  static Prediction predict(const Scheme&, const Features& of, const Device&, const Sizes&) {
    const auto bytes = static_cast<double>(of.rows().rows * of.rows().columns * 8);
    if (bytes > 1e6) return Prediction::refuse("it would hold more than a megabyte");
    return {1e-6, 1e-6, bytes, bytes, false, "the matrix is small, and no index is read"};
  }
  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme&) {
    return std::make_unique<DenseExecutor<Exec, Matrix, V, Acc>>(in.exec, in.A);
  }
};
}  // namespace user
