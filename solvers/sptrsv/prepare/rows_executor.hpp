// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../schedule/steps.hpp"
#include "../select/choose.hpp"
#include "../transform/ordered_triangle.hpp"
#include "inspection.hpp"
#include "rows_kernel.hpp"

namespace heddle::detail::sptrsv {

/// Runs the schemes of CPUs and of devices whose teams may not wait: a row is one thread's, and a
/// launch of many threads takes rows of one level.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class RowsExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  RowsExecutor() = default;

  RowsExecutor(const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    LevelOrder<Exec, O> order;
    bool sequential = scheme.has("sequential");
    if (!sequential) {
      order = LevelOrder<Exec, O>::by_level(in.exec, in.graph);
      levels_ = order.levels();
      sequential = !in.pinned && in.device.backend == BackendKind::host &&
                   !worth_threads(in.T.rows() + in.sums.entries, levels_);
    }
    if (sequential) order = LevelOrder<Exec, O>::as_they_are(in.exec, in.graph);
    triangle_ = OrderedTriangle<Exec, S, O, Off>(in.exec, in.T, in.graph, in.origin, order,
                                                 in.sums.entries, in.diagonal, Naming::rows);
    std::vector<SchemeTerm> terms{{sequential ? "sequential" : "level-set"}};
    if (sequential) {
      steps_ = one_step(in.T.rows());
    } else {
      const std::int64_t thin = thin_rows(in, scheme);
      if (in.device.backend == BackendKind::host) terms.emplace_back("thin", std::to_string(thin));
      steps_ = steps_of(order.level_begin(), thin);
    }
    scheme_ = Scheme(scheme.format(), std::move(terms));
    in.exec.fence("heddle::sptrsv::ordered");  // before the order is freed
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return levels_; }
  std::size_t bytes() const { return triangle_.bytes(); }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, bad_diagonal);
  }

  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    using Kernel = RowsKernel<Operands<S, O, Off, V, Acc>>;
    for (const Step& step : steps_) {
      Kernel kernel{{triangle_.view(), conjugate, alpha, b, x}, step.first, step.stop};
      if constexpr (backends::runs_on_host<Exec> && backends::waits_make_progress<Exec>) {
        if (step.parallel) {
          kernel.shares = std::min<std::int64_t>(exec.concurrency(), step.stop - step.first);
        }
        backends::launch<backends::Shape<1>>(exec, "heddle::sptrsv::level", kernel.shares, kernel);
      } else {
        using Policy = Kokkos::RangePolicy<KokkosSpace<Exec>, Kokkos::IndexType<std::int64_t>>;
        Kokkos::parallel_for("heddle::sptrsv::level",
                             Policy(kokkos_space(exec), step.first, step.stop), kernel);
      }
    }
  }

 private:
  /// Rows up to which a level is not worth more threads than one.
  static std::int64_t thin_rows(const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    if (in.device.backend != BackendKind::host) return 0;
    if (scheme.has("thin")) return scheme.integer("thin");
    return thin_level(in.T.rows(), in.sums.entries);
  }

  OrderedTriangle<Exec, S, O, Off> triangle_;
  std::vector<Step> steps_;
  Scheme scheme_;
  int levels_ = 0;
};

}  // namespace heddle::detail::sptrsv
