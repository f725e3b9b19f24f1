// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../../backends/loops.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "../common/scale.hpp"
#include "finish_kernel.hpp"
#include "kernel.hpp"
#include "pieces.hpp"
#include "predict.hpp"
#include "storage.hpp"

namespace heddle::detail::csb {

/// Where pieces leave partial sums during an apply, and the counter that gives pieces out.
template <ExecutionSpace Exec, Scalar Acc>
class PartialSums {
 public:
  /// One allocation, one launch.
  PartialSums(const Exec& exec, std::int64_t count)
      : arena_(exec, "heddle::spmv::csb_partials",
               arena_bytes<Acc, std::uint32_t>(static_cast<std::size_t>(count), 1)),
        partials(arena_.template take<Acc>(static_cast<std::size_t>(count)).data()),
        tickets{arena_.template take<std::uint32_t>(1).data()} {
    Kokkos::parallel_for("heddle::spmv::csb_tickets", range_policy(exec, 1),
                         backends::ClearTickets{tickets});
  }

  std::size_t bytes() const { return arena_.bytes(); }

 private:
  Arena<typename Exec::memory_space> arena_;

 public:
  Acc* const partials;
  const backends::Tickets tickets;
};

/// Runs the scheme csb: owns a copy of the matrix. Of a matrix of which one triangle is stored, the
/// mirror images of blocks on the diagonal are added with them, those of the others by a second
/// sweep or atomically.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Each member is made from those before it.
  Executor(const Inspection<Exec, Matrix>& in, const Scheme& resolved, const Parameters& parameters)
      : beta_(*parameters.beta),
        atomics_(parameters.sweep == Mirroring::atomics),
        symmetry_(in.symmetry),
        rows_(static_cast<double>(in.A.rows())),
        columns_(static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A, beta_, symmetry_ == Symmetry::hermitian),
        through_memory_(backends::scratch_bytes<Acc>(beta_) > in.device.scratch_bytes),
        vectors_(vectors_at_once(in)),
        scheme_(resolved),
        swept_by_columns_(storage_.sweep_columns(in.exec, symmetry_ != Symmetry::none)),
        by_rows_(in.exec, storage_.block_rows(), storage_.nonzeros(),
                 cutting(in, storage_.row_panels(), storage_.row_start())),
        by_columns_(in.exec, storage_.block_columns(), storage_.nonzeros(),
                    cutting(in, storage_.column_panels(), storage_.column_start())),
        room_(in.exec, partial_count()) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, vectors_, [&](const Product<V, Acc>& pass) {
      if (symmetry_ != Symmetry::none) return both_triangles(exec, op, pass);
      transposes(op) ? sweep<Way::columns>(exec, pass) : sweep<Way::rows>(exec, pass);
    });
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override {
    return storage_.bytes() + by_rows_.bytes() + by_columns_.bytes() + room_.bytes();
  }

  double moved_bytes(Op op, int vectors, bool with_beta) const override {
    const std::int64_t all = storage_.nonzeros(), rest = swept_by_columns_;
    if (symmetry_ == Symmetry::none) return swept_bytes(transposes(op), all, vectors, with_beta);
    const double first = swept_bytes(false, all, vectors, with_beta);
    if (atomics_) return first + 2.0 * vectors * rows_ * sizeof(V);  // adds to what it scaled
    return rest > 0 ? first + swept_bytes(true, rest, vectors, true) : first;
  }

 private:
  static constexpr bool deals = backends::runs_on_host<Exec>;

  int passes(int vectors) const { return passes_over_matrix(vectors, vectors_); }

  /// Vectors of a pass; several where their sums fit too, or none do.
  int vectors_at_once(const Inspection<Exec, Matrix>& in) const {
    const std::size_t several = backends::scratch_bytes<Acc>(beta_ * tuning.most_vectors);
    const bool fits = several <= in.device.scratch_bytes;
    return in.vectors.count > 1 && (fits || through_memory_) ? tuning.most_vectors : 1;
  }

  Cutting<Off> cutting(const Inspection<Exec, Matrix>& in, const Off* panel_ptr,
                       const Off* start) const {
    const std::int64_t longer = std::max<std::int64_t>(in.A.rows(), in.A.columns());
    const std::int64_t target = std::max<std::int64_t>(
        {1, std::min<std::int64_t>(beta_, longer), storage_.nonzeros() / tuning.pieces(in.device)});
    return {panel_ptr, start, static_cast<Off>(target), through_memory_};
  }

  std::int64_t partial_count() const {
    return std::max(by_rows_.partials(), by_columns_.partials()) * beta_ * vectors_;
  }

  /// With L the triangle that is stored and M what of it is beside the diagonal: A is L + M', or of
  /// a Hermitian matrix L + M^H; its transpose is A itself, or its conjugate.
  void both_triangles(const Exec& exec, Op op, Product<V, Acc> product) const {
    const bool hermitian = symmetry_ == Symmetry::hermitian;
    product.conjugate = hermitian ? op == Op::conjugate || op == Op::transpose : conjugates(op);
    const bool mirrored = product.conjugate != hermitian;
    if (atomics_) {
      scale(exec, product.beta, product.y);
      product.beta = Acc(1);
    }
    sweep<Way::triangle>(exec, product, {mirrored, atomics_});
    if (swept_by_columns_ == 0 || atomics_) return;
    product.conjugate = mirrored;
    product.beta = Acc(1);
    sweep<Way::columns>(exec, product);
  }

  template <Way Goes>
  void sweep(const Exec& exec, const Product<V, Acc>& product, const Mirror& mirror = {}) const {
    if (vectors_ == 1) return run<Goes, 1>(exec, product, mirror);
    run<Goes, tuning.most_vectors>(exec, product, mirror);
  }

  template <Way Goes, int Vectors>
  void run(const Exec& exec, const Product<V, Acc>& product, const Mirror& mirror) const {
    using Walk = csb::Walk<View<S, O, Off>, Sweep<O, Off>, Product<V, Acc>, Goes, Vectors>;
    constexpr bool by_columns = Goes == Way::columns;
    const Sweep<O, Off> sweep =
        by_columns ? by_columns_.sweep(storage_.column_order(), storage_.column_start())
                   : by_rows_.sweep(nullptr, storage_.row_start());
    if (sweep.piece_count == 0) return;
    const Walk walk{storage_.view(), sweep, product, mirror};
    const std::int64_t teams =
        deals ? std::min<std::int64_t>(exec.concurrency(), sweep.piece_count) : sweep.piece_count;
    const std::size_t scratch = through_memory_ ? 0 : backends::scratch_bytes<Acc>(beta_ * Vectors);
    using Shape = backends::Shape<backends::max_subwarp_width<Exec>,
                                  backends::has_lanes<Exec> ? tuning.team_threads : 1>;
    backends::launch<Shape>(
        exec, by_columns ? "heddle::spmv::csb_columns" : "heddle::spmv::csb_rows", teams,
        Kernel<Walk, deals>{walk, room_.partials, room_.tickets,
                            static_cast<std::uint32_t>(sweep.piece_count + teams)},
        scratch);
    if (sweep.partials == 0) return;
    using Finish = FinishKernel<Sweep<O, Off>, Product<V, Acc>, Vectors>;
    parallel_for(exec, "heddle::spmv::csb_finish", product.y.rows,
                 Finish{sweep, product, beta_, room_.partials});
  }

  double swept_bytes(bool by_columns, std::int64_t entries, int vectors, bool with_beta) const {
    const auto& pieces = by_columns ? by_columns_ : by_rows_;
    constexpr double by_row = sizeof(Off) + sizeof(O), by_column = 3 * sizeof(Off) + sizeof(O);
    const double block = by_columns ? by_column : by_row;
    const double matrix = static_cast<double>(entries) * (sizeof(S) + 2 * sizeof(std::uint16_t)) +
                          static_cast<double>(storage_.blocks()) * block +
                          static_cast<double>(pieces.pieces()) * sizeof(Piece<O, Off>);
    const double x = by_columns ? rows_ : columns_, y = by_columns ? columns_ : rows_;
    const double panel = std::min<double>(beta_, y);
    const double partials = 2.0 * static_cast<double>(pieces.partials()) * panel * sizeof(Acc);
    return passes(vectors) * matrix +
           vectors * (partials + static_cast<double>(sizeof(V)) * (x + y * (1 + with_beta)));
  }

  int beta_;
  bool atomics_;
  Symmetry symmetry_;
  double rows_;
  double columns_;
  Storage<Exec, S, O, Off> storage_;
  /// Whether the sums of a panel are too large for scratch, and so are added up in memory.
  bool through_memory_;
  int vectors_;
  Scheme scheme_;
  /// Entries that a sweep by block columns takes.
  std::int64_t swept_by_columns_;
  Pieces<Exec, O, Off> by_rows_;
  Pieces<Exec, O, Off> by_columns_;
  PartialSums<Exec, Acc> room_;
};

}  // namespace heddle::detail::csb
