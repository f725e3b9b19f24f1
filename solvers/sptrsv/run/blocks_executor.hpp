// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../../core/scheme.hpp"
#include "../../ordered/solved_values.hpp"
#include "../select/tuning.hpp"
#include "../transform/blocked_triangle.hpp"
#include "../transform/merge.hpp"
#include "blocks_kernel.hpp"
#include "inspection.hpp"

namespace heddle::detail::sptrsv {

/// Runs sptrsv/blocks on a GPU: rows merged into groups that wait for each other.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class BlocksExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Triangle = BlockedTriangle<Exec, S, O, Off, Acc, triangle::DiagonalOf<S, V>>;

  BlocksExecutor() = default;

  /// Waits for `exec`.
  BlocksExecutor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme)
      : scheme_(scheme), room_(std::min(in.vectors, most_vectors)), levels_(in.levels->count()) {
    subwarps_ = static_cast<int>(scheme_.integer("team")) / chunk_pieces;
    piece_ = static_cast<int>(scheme_.integer("piece"));
    const std::int64_t warps = scheme_.integer("warps");
    const auto by_level =
        ordered::Schedule<Exec, O>::by_level(in.exec, in.graph.rows, in.graph.sweep(), *in.levels);
    const MergedRows<Exec, O> groups = merged(in, by_level, warps);
    backends::check_teams_in_order(groups.count(),
                                   "a triangle of " + std::to_string(in.T.rows()) + " rows",
                                   "pin a scheme that merges more rows");
    triangle_ = Triangle(in.exec, in.T, in.graph, in.origin,
                         by_level.reordered(in.exec, groups.order()).order(), groups,
                         in.sums.entries, in.diagonal, piece_, scheme_.value("inner") == "inverse");
    solve_ = ordered::GpuSolve<Exec, V>(in.exec, in.T.rows(), room_);
    residency_.warps = static_cast<int>(warps);
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return levels_; }
  std::size_t bytes() const { return triangle_.bytes() + solve_.bytes(); }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, bad_diagonal);
  }

  /// With a trace of one right-hand side.
  template <class Trace = NoTrace>
  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x, const Trace& trace = {}) {
    for (int first = 0; first < x.count; first += room_) {
      const int vectors = std::min(room_, x.count - first);
      const Operands operands{triangle_.rows(), conjugate, alpha, b.slice(first, vectors),
                              x.slice(first, vectors)};
      if (Trace::records || vectors == 1) {
        with_kernel<1, Trace>([&]<class Kernel>() { run<Kernel>(exec, operands, trace); });
      } else {
        with_kernel<together>([&]<class Kernel>() { run<Kernel>(exec, operands, NoTrace()); });
      }
    }
  }

  const Triangle& triangle() const { return triangle_; }

 private:
  using Operands = sptrsv::Operands<S, O, Off, V, Acc>;
  /// Right-hand sides that a kernel holds in registers: one of large numbers, and more than two
  /// make kernels for gfx90a spill.
  static constexpr int together = sizeof(Acc) > 8 ? 1 : 2;
  static constexpr int warp_width = backends::max_subwarp_width<Exec>;

  /// The groups of rows that are in the order of their levels; and the launches that solve them.
  MergedRows<Exec, O> merged(const SolveInspection<Exec, Matrix>& in,
                             const ordered::Schedule<Exec, O>& by_level, std::int64_t warps) {
    const triangle::OrderedPattern<Exec, O, Off> pattern(in.exec, in.graph, nullptr,
                                                         by_level.order(), in.sums.entries);
    MergedRows<Exec, O> groups = merge(in.exec, pattern, by_level.level_begin(), merging());
    launches_ = ordered::launches_of(groups.level_begin(), least_of_own_launch(in, warps));
    return groups;
  }

  /// Groups from which a level has a launch of its own.
  std::int64_t least_of_own_launch(const SolveInspection<Exec, Matrix>& in,
                                   std::int64_t warps) const {
    if (scheme_.value("alpha") == "inf") return std::numeric_limits<std::int64_t>::max();
    const std::int64_t working = in.device.multiprocessors * warps / subwarps_;
    return std::max<std::int64_t>(1, scheme_.integer("alpha") * working);
  }

  Merging merging() const {
    using Kind = Merging::Kind;
    static constexpr std::pair<const char*, Kind> kinds[] = {{"none", Kind::none},
                                                             {"fixed", Kind::fixed},
                                                             {"avg", Kind::average},
                                                             {"thresh", Kind::short_rows},
                                                             {"parents", Kind::parents}};
    Merging merging;
    for (const auto& [name, kind] : kinds) {
      if (scheme_.value("merge") == name) merging.kind = kind;
    }
    merging.number = static_cast<int>(scheme_.integer("threshold"));
    // A row's last piece need not be full.
    merging.most_entries = std::int64_t{most_pieces_of(subwarps_) - most_rows} * piece_;
    return merging;
  }

  /// use.operator()<Kernel>() for the kernel of the plan's scheme.
  template <int Vectors, class Trace = NoTrace, class Use>
  void with_kernel(const Use& use) const {
    if (piece_ == 4) return with_team<Vectors, 4, Trace>(use);
    with_team<Vectors, 8, Trace>(use);
  }
  template <int Vectors, int Piece, class Trace, class Use>
  void with_team(const Use& use) const {
    if (subwarps_ == 1) {
      use.template operator()<BlocksKernel<Operands, Piece, Vectors, 1, Trace>>();
    } else if (subwarps_ == 2) {
      use.template operator()<BlocksKernel<Operands, Piece, Vectors, 2, Trace>>();
    } else {
      use.template operator()<BlocksKernel<Operands, Piece, Vectors, 4, Trace>>();
    }
  }

  template <class Kernel, class Trace>
  void run(const Exec& exec, const Operands& operands, const Trace& trace) {
    using Shape = backends::Shape<chunk_pieces, Kernel::threads(warp_width)>;
    const auto view = triangle_.view();
    const std::size_t bytes = Kernel::scratch_bytes(view.inverted != nullptr);
    solve_.run(exec, operands.x.count, [&](const auto& solved, const auto& tickets) {
      for (const ordered::Launch& launch : launches_) {
        const auto teams =
            ceil_div<std::int64_t>(launch.stop - launch.first, Kernel::groups_per_team);
        const bool last = &launch == &launches_.back();
        const Kernel kernel{operands, view, solved, launch.first, launch.stop, teams, last, trace};
        if (launch.one_level) {
          backends::launch<Shape>(exec, "heddle::sptrsv::level", teams, kernel, bytes, residency_);
        } else {
          backends::launch_by_ticket<Shape>(exec, "heddle::sptrsv::solve", teams, kernel, tickets,
                                            bytes, residency_);
        }
      }
    });
  }

  Scheme scheme_;
  int room_ = 1;
  int levels_ = 0;
  int subwarps_ = 1;
  int piece_ = 4;
  Triangle triangle_;
  std::vector<ordered::Launch> launches_;
  ordered::GpuSolve<Exec, V> solve_;
  backends::Residency residency_;
};

}  // namespace heddle::detail::sptrsv
