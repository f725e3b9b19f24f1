// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "finish_kernel.hpp"
#include "kernel.hpp"
#include "pieces.hpp"
#include "predict.hpp"
#include "storage.hpp"

namespace heddle::detail::csb {

/// Runs the scheme csb: owns a copy of the matrix. Of a matrix of which one triangle is stored, the
/// mirror images of blocks on the diagonal are added with them, those of the others by a second
/// sweep.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  Executor(const Inspection<Exec, Matrix>& in, const Parameters& parameters)
      : scheme_(parameters.scheme()),
        beta_(parameters.beta),
        morton_(parameters.morton),
        symmetry_(in.symmetry),
        rows_(static_cast<double>(in.A.rows())),
        columns_(static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A, parameters.beta, parameters.morton, in.symmetry != Symmetry::none) {
    const std::size_t sums = backends::scratch_bytes<Acc>(beta_);
    through_memory_ = sums > in.device.scratch_bytes;
    const std::size_t several = backends::scratch_bytes<Acc>(beta_ * tuning.most_vectors);
    const bool fits = several <= in.device.scratch_bytes;
    vectors_ = in.vectors.count > 1 && (fits || through_memory_) ? tuning.most_vectors : 1;
    const std::int64_t shortest =
        std::min<std::int64_t>(beta_, std::max<std::int64_t>(in.A.rows(), in.A.columns()));
    const std::int64_t target =
        std::max<std::int64_t>({1, shortest, storage_.nonzeros() / tuning.pieces(in.device)});
    const auto cut = [&](std::int64_t panels, const Off* panel_ptr, const Off* start) {
      return Pieces<Exec, O, Off>(
          in.exec, panels, storage_.nonzeros(),
          Cutting<Off>{panel_ptr, start, static_cast<Off>(target), through_memory_});
    };
    by_rows_ = cut(storage_.block_rows(), storage_.row_panels(), storage_.row_start());
    by_columns_ = cut(storage_.block_columns(), storage_.column_panels(), storage_.column_start());
    allocate(in.exec);
  }

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, vectors_, [&](const Product<V, Acc>& pass) {
      if (symmetry_ != Symmetry::none) return both_triangles(exec, op, pass);
      transposes(op) ? sweep<true>(exec, pass, {}) : sweep<false>(exec, pass, {});
    });
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override {
    return storage_.bytes() + by_rows_.bytes() + by_columns_.bytes() + arena_.bytes();
  }

  double moved_bytes(Op op, int vectors, bool with_beta) const override {
    const std::int64_t all = storage_.nonzeros(), rest = storage_.swept_by_columns();
    if (symmetry_ == Symmetry::none) return swept_bytes(transposes(op), all, vectors, with_beta);
    const double second = rest > 0 ? swept_bytes(true, rest, vectors, true) : 0;
    return swept_bytes(false, all, vectors, with_beta) + second;
  }

 private:
  static constexpr bool deals = backends::runs_on_host<Exec>;

  void allocate(const Exec& exec) {
    const auto partials = static_cast<std::size_t>(
        std::max(by_rows_.partials(), by_columns_.partials()) * beta_ * vectors_);
    arena_ = Arena<Space>(exec, "heddle::spmv::csb_partials",
                          arena_bytes<Acc, std::uint32_t>(partials, 1));
    partials_ = arena_.template take<Acc>(partials).data();
    tickets_ = {arena_.template take<std::uint32_t>(1).data()};
    Kokkos::parallel_for("heddle::spmv::csb_tickets",
                         Kokkos::RangePolicy<KokkosSpace<Exec>>(kokkos_space(exec), 0, 1),
                         ClearTickets{tickets_});
  }

  /// With L the triangle that is stored and M what of it is beside the diagonal: A is L + M', or of
  /// a Hermitian matrix L + M^H; its transpose is A itself, or its conjugate.
  void both_triangles(const Exec& exec, Op op, Product<V, Acc> product) const {
    const bool hermitian = symmetry_ == Symmetry::hermitian;
    product.conjugate = hermitian ? op == Op::conjugate || op == Op::transpose : conjugates(op);
    const bool mirrored = product.conjugate != hermitian;
    sweep<false>(exec, product, {true, mirrored});
    if (storage_.swept_by_columns() == 0) return;
    product.conjugate = mirrored;
    product.beta = Acc(1);
    sweep<true>(exec, product, {});
  }

  template <bool ByColumns>
  void sweep(const Exec& exec, const Product<V, Acc>& product, const Mirror& mirror) const {
    if (vectors_ == 1) return run<ByColumns, 1>(exec, product, mirror);
    run<ByColumns, tuning.most_vectors>(exec, product, mirror);
  }

  template <bool ByColumns, int Vectors>
  void run(const Exec& exec, const Product<V, Acc>& product, const Mirror& mirror) const {
    using Walk = csb::Walk<View<S, O, Off>, Sweep<O, Off>, Product<V, Acc>, ByColumns, Vectors>;
    const Sweep<O, Off> sweep =
        ByColumns ? by_columns_.sweep(storage_.column_order(), storage_.column_start())
                  : by_rows_.sweep(nullptr, storage_.row_start());
    if (sweep.piece_count == 0) return;
    const Walk walk{storage_.view(), sweep, product, mirror, !morton_ && !ByColumns};
    const std::int64_t teams =
        deals ? std::min<std::int64_t>(exec.concurrency(), sweep.piece_count) : sweep.piece_count;
    const std::size_t scratch = through_memory_ ? 0 : backends::scratch_bytes<Acc>(beta_ * Vectors);
    using Shape = backends::Shape<backends::max_subwarp_width<Exec>,
                                  backends::has_lanes<Exec> ? tuning.team_threads : 1>;
    backends::launch<Shape>(
        exec, ByColumns ? "heddle::spmv::csb_columns" : "heddle::spmv::csb_rows", teams,
        Kernel<Walk, deals>{walk, partials_, tickets_,
                            static_cast<std::uint32_t>(sweep.piece_count + teams)},
        scratch);
    if (sweep.partials == 0) return;
    using Finish = FinishKernel<Sweep<O, Off>, Product<V, Acc>, Vectors>;
    Kokkos::parallel_for("heddle::spmv::csb_finish",
                         Kokkos::RangePolicy<KokkosSpace<Exec>, Kokkos::IndexType<std::int64_t>>(
                             kokkos_space(exec), 0, product.y.rows),
                         Finish{sweep, product, beta_, partials_});
  }

  double swept_bytes(bool by_columns, std::int64_t entries, int vectors, bool with_beta) const {
    const int passes = vectors > 0 ? ceil_div(vectors, vectors_) : 1;
    const auto& pieces = by_columns ? by_columns_ : by_rows_;
    constexpr double by_row = sizeof(Off) + sizeof(O), by_column = 3 * sizeof(Off) + sizeof(O);
    const double block = by_columns ? by_column : by_row;
    const double matrix = static_cast<double>(entries) * (sizeof(S) + 2 * sizeof(std::uint16_t)) +
                          static_cast<double>(storage_.blocks()) * block +
                          static_cast<double>(pieces.pieces()) * sizeof(Piece<O, Off>);
    const double x = by_columns ? rows_ : columns_, y = by_columns ? columns_ : rows_;
    const double panel = std::min<double>(beta_, y);
    const double partials = 2.0 * static_cast<double>(pieces.partials()) * panel * sizeof(Acc);
    return passes * matrix +
           vectors * (partials + static_cast<double>(sizeof(V)) * (x + y * (1 + with_beta)));
  }

  Scheme scheme_;
  int beta_;
  bool morton_;
  Symmetry symmetry_;
  double rows_;
  double columns_;
  Storage<Exec, S, O, Off> storage_;
  /// Whether the sums of a panel are too large for scratch, and so are added up in memory.
  bool through_memory_ = false;
  int vectors_ = 1;
  Pieces<Exec, O, Off> by_rows_;
  Pieces<Exec, O, Off> by_columns_;
  Arena<Space> arena_;
  Acc* partials_ = nullptr;
  backends::Tickets tickets_;
};

}  // namespace heddle::detail::csb
