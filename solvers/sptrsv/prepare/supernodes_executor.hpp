// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../wavefronts/wavefronts.hpp"
#include "../select/choose.hpp"
#include "inspection.hpp"
#include "supernodes_kernel.hpp"
#include "trace.hpp"

namespace heddle::detail::sptrsv {

/// Runs sptrsv/supernodes: the wavefronts of a loop over supernodes, on the threads of a CPU.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class SupernodesExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  SupernodesExecutor() = default;

  SupernodesExecutor(const Inspection<Exec, Matrix>& in, const Scheme& scheme)
      : SupernodesExecutor(in, scheme, Supernodes<Exec, O>(in.exec, in.graph)) {}

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return waves_.levels(); }
  std::size_t bytes() const { return triangle_.bytes() + waves_.bytes(); }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, bad_diagonal);
  }

  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    waves_.for_each_run(exec, "heddle::sptrsv::supernodes",
                        Run{kernel(conjugate, alpha, b, x), simd_});
  }

  /// One solve of one right-hand side, traced. A supernode begins when what it waits for is there.
  SolveTrace trace(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
                   const Multivector<V>& x) {
    const TraceStorage<Exec> storage(exec, triangle_.supernodes());
    const Run run{kernel(conjugate, alpha, b, x), simd_};
    const StepTrace steps = storage.trace();
    waves_.for_each_run(exec, "heddle::sptrsv::traced_supernodes",
                        [&run, steps](std::int64_t first, std::int64_t stop) {
                          for (std::int64_t g = first; g < stop; ++g) {
                            steps.begin(g);
                            run(g, g + 1);
                            steps.end(g);
                          }
                        });
    SolveTrace trace = storage.read(exec);
    trace.groups = true;
    trace.step_of_row.resize(static_cast<std::size_t>(x.rows));
    const auto view = triangle_.view();
    for (std::int64_t g = 0; g < triangle_.supernodes(); ++g) {
      std::int64_t row = view.col_idx[view.column_ptr[g + 1] - 1];
      for (O place = view.place[g]; place < view.place[g + 1]; ++place, row += view.step) {
        trace.step_of_row[static_cast<std::size_t>(row)] = g;
      }
    }
    return trace;
  }

 private:
  using Waves = Wavefronts<Exec, O>;
  using Kernel = SupernodesKernel<S, O, Off, V, Acc>;
  using Copy = SupernodeTriangle<Exec, S, O, Off, triangle::DiagonalOf<S, V>>;

  SupernodesExecutor(const Inspection<Exec, Matrix>& in, const Scheme& scheme,
                     const Supernodes<Exec, O>& supernodes)
      : waves_(schedule(in, scheme, supernodes)),
        triangle_(in.exec, in.T, in.graph, in.origin, supernodes, waves_.place_order(),
                  in.diagonal),
        scheme_(as_supernodes(waves_.scheme())),
        simd_(backends::best_simd()) {}

  struct Run {
    Kernel kernel;
    backends::Simd simd;

    void operator()(std::int64_t first, std::int64_t stop) const {
      Kernel part = kernel;
      part.first = first;
      part.stop = stop;
      backends::run_simd<Exec>(part, simd);
    }
  };

  Kernel kernel(bool conjugate, Acc alpha, const Multivector<const V>& b,
                const Multivector<V>& x) const {
    return {triangle_.view(), conjugate, alpha, b, x, 0, triangle_.supernodes()};
  }

  static Waves schedule(const Inspection<Exec, Matrix>& in, const Scheme& scheme,
                        const Supernodes<Exec, O>& supernodes) {
    const std::optional<Scheme> pinned = wavefronts_of_supernodes(scheme);
    if (pinned && pinned->has("sequential")) return Waves::in_order(in.exec, supernodes.count());
    const SupernodeReads<O, Off> reads{in.graph, supernodes.first(), supernodes.of()};
    return Waves(in.exec, supernodes.count(), reads, {.scheme = pinned, .threads = in.threads});
  }

  Waves waves_;
  Copy triangle_;
  Scheme scheme_;
  backends::Simd simd_ = backends::Simd::none;
};

}  // namespace heddle::detail::sptrsv
