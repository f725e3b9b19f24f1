// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../wavefronts/wavefronts.hpp"
#include "../select/choose.hpp"
#include "inspection.hpp"
#include "supernodes_kernel.hpp"

namespace heddle::detail::sptrsv {

/// Runs sptrsv/supernodes: the wavefronts of a loop over supernodes, on the threads of a CPU.
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
