// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../../core/loops.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "../common/scale.hpp"
#include "finish_kernel.hpp"
#include "kernel.hpp"
#include "mirrors.hpp"
#include "pieces.hpp"
#include "predict.hpp"
#include "storage.hpp"

namespace heddle::detail::csb {

/// Where pieces leave partial sums during an apply, and the counter that gives pieces out.
template <ExecutionSpace Exec, Scalar Acc>
class PartialSums {
 public:
  /// One allocation, one launch.
  PartialSums(const Exec& exec, std::int64_t of_pieces, std::int64_t of_mirrors)
      : arena_(exec, "heddle::spmv::csb_partials",
               arena_bytes<Acc, Acc, std::uint32_t>(static_cast<std::size_t>(of_pieces),
                                                    static_cast<std::size_t>(of_mirrors), 1)),
        partials(arena_.template take<Acc>(static_cast<std::size_t>(of_pieces)).data()),
        mirrored(arena_.template take<Acc>(static_cast<std::size_t>(of_mirrors)).data()),
        tickets{arena_.template take<std::uint32_t>(1).data()} {
    Kokkos::parallel_for("heddle::spmv::csb_tickets", range_policy(exec, 1),
                         backends::ClearTickets{tickets});
  }

  std::size_t bytes() const { return arena_.bytes(); }

 private:
  Arena<typename Exec::memory_space> arena_;

 public:
  Acc* const partials;
  Acc* const mirrored;
  const backends::Tickets tickets;
};

/// Runs the scheme csb: owns a copy of the matrix. Of a matrix of which one triangle is stored, the
/// mirror images of blocks on the diagonal are added with them, those of the others as Sweeps says.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Each member is made from those before it.
  Executor(const Inspection<Exec, Matrix>& in, const Parameters& parameters)
      : beta_(parameters.beta),
        morton_(parameters.morton),
        symmetry_(in.symmetry),
        rows_(static_cast<double>(in.A.rows())),
        columns_(static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A, parameters.beta, parameters.morton,
                 symmetry_ == Symmetry::hermitian),
        through_memory_(backends::scratch_bytes<Acc>(beta_) > in.device.scratch_bytes),
        vectors_(vectors_at_once(in)),
        mirrors_(mirrors_of(in, parameters.sweeps)),
        mirrored_in_scratch_(widest_in_scratch(in.device)),
        scheme_(parameters.scheme(symmetry_ == Symmetry::none ? std::optional<Sweeps>()
                                                              : mirrors_.sweeps())),
        swept_by_columns_(
            storage_.sweep_columns(in.exec, symmetry_ != Symmetry::none, mirrors_.parts().part_of)),
        by_rows_(
            in.exec, storage_.block_rows(), storage_.nonzeros(),
            cutting(in, storage_.row_panels(), storage_.row_start(), mirrors_.parts().part_ptr)),
        by_columns_(in.exec, storage_.block_columns(), storage_.nonzeros(),
                    cutting(in, storage_.column_panels(), storage_.column_start(), nullptr)),
        mirrored_places_(mirrors_.place(in.exec, storage_.view(),
                                        by_rows_.sweep(nullptr, storage_.row_start()))),
        room_(in.exec, partial_count(), mirrored_places_ * vectors_) {}

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
    return storage_.bytes() + by_rows_.bytes() + by_columns_.bytes() + mirrors_.bytes() +
           room_.bytes();
  }

  double moved_bytes(Op op, int vectors, bool with_beta) const override {
    const std::int64_t all = storage_.nonzeros(), rest = swept_by_columns_;
    if (symmetry_ == Symmetry::none) return swept_bytes(transposes(op), all, vectors, with_beta);
    const double first = swept_bytes(false, all, vectors, with_beta) +
                         passes(vectors) * mirrors_.table_bytes() +
                         2.0 * vectors * static_cast<double>(mirrored_places_ * sizeof(Acc));
    if (atomically()) return first + 2.0 * vectors * rows_ * sizeof(V);  // adds to what it scaled
    return rest > 0 ? first + swept_bytes(true, rest, vectors, true) : first;
  }

 private:
  static constexpr bool deals = backends::runs_on_host<Exec>;

  bool atomically() const { return mirrors_.sweeps() == Sweeps::atomics; }
  int passes(int vectors) const { return passes_over_matrix(vectors, vectors_); }

  /// Vectors of a pass; several where their sums fit too, or none do.
  int vectors_at_once(const Inspection<Exec, Matrix>& in) const {
    const std::size_t several = backends::scratch_bytes<Acc>(beta_ * tuning.most_vectors);
    const bool fits = several <= in.device.scratch_bytes;
    return in.vectors.count > 1 && (fits || through_memory_) ? tuning.most_vectors : 1;
  }

  Mirrors<Exec, View<S, O, Off>> mirrors_of(const Inspection<Exec, Matrix>& in,
                                            std::optional<Sweeps> wanted) const {
    if (symmetry_ == Symmetry::none) return {};
    const int served = std::clamp(in.vectors.count, 1, vectors_);
    const SweepCosts costs(sizes_of<Matrix, V, Acc>(in.vectors), served, rows_, beta_);
    const double most_bytes =
        std::max(tuning.most_table_bytes, costs.entry * static_cast<double>(storage_.nonzeros()));
    return {in.exec,
            storage_.view(),
            storage_.blocks(),
            storage_.block_columns(),
            storage_.column_order(),
            storage_.column_panels(),
            wanted,
            costs,
            most_bytes / static_cast<double>(sizeof(Acc) * static_cast<std::size_t>(vectors_))};
  }

  int widest_in_scratch(const Device& device) const {
    const int widest = mirrors_.parts().widest;
    const bool fits = backends::scratch_bytes<Acc, Acc>(beta_ * vectors_, widest * vectors_) <=
                      device.scratch_bytes;
    return fits ? widest : 0;
  }

  Cutting<Off> cutting(const Inspection<Exec, Matrix>& in, const Off* panel_ptr, const Off* start,
                       const std::int64_t* part_ptr) const {
    const std::int64_t longer = std::max<std::int64_t>(in.A.rows(), in.A.columns());
    const std::int64_t target = std::max<std::int64_t>(
        {1, std::min<std::int64_t>(beta_, longer), storage_.nonzeros() / tuning.pieces(in.device)});
    return {panel_ptr, start, static_cast<Off>(target), through_memory_, part_ptr};
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
    if (atomically()) {
      scale(exec, product.beta, product.y);
      product.beta = Acc(1);
    }
    sweep<Way::triangle>(exec, product, {mirrored, atomically(), mirrors_.parts(), room_.mirrored});
    if (swept_by_columns_ == 0 || atomically()) return;
    product.conjugate = mirrored;
    product.beta = Acc(1);
    sweep<Way::columns>(exec, product);
  }

  template <Way Goes>
  void sweep(const Exec& exec, const Product<V, Acc>& product,
             const Mirror<Acc>& mirror = {}) const {
    if (vectors_ == 1) return run<Goes, 1>(exec, product, mirror);
    run<Goes, tuning.most_vectors>(exec, product, mirror);
  }

  template <Way Goes, int Vectors>
  void run(const Exec& exec, const Product<V, Acc>& product, const Mirror<Acc>& mirror) const {
    using Walk = csb::Walk<View<S, O, Off>, Sweep<O, Off>, Product<V, Acc>, Goes, Vectors>;
    constexpr bool by_columns = Goes == Way::columns;
    const Sweep<O, Off> sweep =
        by_columns ? by_columns_.sweep(storage_.column_order(), storage_.column_start())
                   : by_rows_.sweep(nullptr, storage_.row_start());
    if (sweep.piece_count == 0) return;
    const Walk walk{storage_.view(), sweep, product, mirror, !morton_ && !by_columns};
    const std::int64_t teams =
        deals ? std::min<std::int64_t>(exec.concurrency(), sweep.piece_count) : sweep.piece_count;
    const std::size_t scratch =
        through_memory_ ? 0
                        : backends::scratch_bytes<Acc, Acc>(
                              beta_ * Vectors, by_columns ? 0 : mirrored_in_scratch_ * Vectors);
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
                 Finish{sweep, product, beta_, room_.partials, mirror.parts, room_.mirrored});
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
  bool morton_;
  Symmetry symmetry_;
  double rows_;
  double columns_;
  Storage<Exec, S, O, Off> storage_;
  /// Whether the sums of a panel are too large for scratch, and so are added up in memory.
  bool through_memory_;
  int vectors_;
  Mirrors<Exec, View<S, O, Off>> mirrors_;
  /// Columns of the widest part, if there is scratch for its sums too.
  int mirrored_in_scratch_;
  Scheme scheme_;
  /// Entries that a sweep by block columns takes.
  std::int64_t swept_by_columns_;
  Pieces<Exec, O, Off> by_rows_;
  Pieces<Exec, O, Off> by_columns_;
  /// Partial sums of mirror images of a vector.
  std::int64_t mirrored_places_;
  PartialSums<Exec, Acc> room_;
};

}  // namespace heddle::detail::csb
