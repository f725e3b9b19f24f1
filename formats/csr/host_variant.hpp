// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "../../backends/lanes.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/scheme.hpp"
#include "../common/executor.hpp"
#include "../common/lanes_or_simd.hpp"
#include "host_kernel.hpp"
#include "parameters.hpp"
#include "row_runs.hpp"

namespace heddle::detail::csr {

/// Tag for a matrix that has not been inspected.
struct WithoutPlan {};

/// The parameters of a csr scheme that only CPUs have, resolved: those that the scheme leaves out
/// depend on the processor, and for csr/adaptive on the rows of the matrix.
template <ExecutionSpace Exec, class Operands>
class HostVariant {
 public:
  HostVariant() = default;
  /// The variant without a plan: the best SIMD instructions of the processor.
  explicit HostVariant(WithoutPlan) { hints_.simd = resolve_simd({}, {}); }

  /// Throws Refusal for parameters that these types or this processor lack. csr/adaptive inspects
  /// the matrix: two or three passes over row_ptr, one over col_idx, and waits for them.
  template <class Matrix>
  HostVariant(const Inspection<Exec, Matrix>& in, const Scheme& scheme, Parameters& parameters) {
    hints_.simd = resolve_simd(scheme, parameters.simd);
    parameters.simd = hints_.simd;
    if (hints_.simd == backends::Simd::none) refuse_without_simd(scheme, parameters);
    if constexpr (can_use_simd) {
      if (hints_.simd == backends::Simd::none) return;
      if (parameters.has_shares()) {
        resolve_rows(in, parameters);
      } else {
        hints_.two_one_by_one = !comes_from_memory(in);
      }
    }
  }

  const RowHints& hints() const { return hints_; }
  std::size_t bytes() const { return runs_.bytes(); }

 private:
  using O = typename Operands::ordinal_type;
  static constexpr CpuTuning tuning = cpu_tuning<backends::Host>;
  static constexpr bool can_use_simd = suits_simd<Operands> && backends::runs_on_host<Exec>;

  static backends::Simd resolve_simd(const Scheme& scheme, std::optional<backends::Simd> asked) {
    using backends::Simd;
    constexpr bool gathers = sizeof(O) == 4;
    const std::string text = "scheme '" + scheme.to_string() + "': ";
    if (!can_use_simd) {
      if (asked.value_or(Simd::none) != Simd::none) {
        throw Refusal(text + "these types have plain loops only", "pin simd=none");
      }
      return Simd::none;
    }
    const std::optional<Simd> pinned = pinned_simd(scheme, asked);
    if (!pinned) {
      const Simd best = backends::best_simd();
      return best == Simd::gathers && !gathers ? Simd::loads : best;
    }
    if (*pinned == Simd::gathers && !gathers) {
      throw Refusal(text + "gathers need 32-bit ordinals", "pin simd=loads");
    }
    return *pinned;
  }

  static void refuse_without_simd(const Scheme& scheme, const Parameters& parameters) {
    const char* const key = parameters.loop       ? "loop"
                            : parameters.runs     ? "runs"
                            : parameters.prefetch ? "prefetch"
                                                  : nullptr;
    if (!key) return;
    throw Refusal("scheme '" + scheme.to_string() + "': " + key + " is for SIMD registers",
                  "leave it out: these types or this processor have plain loops only");
  }

  template <class Matrix>
  void resolve_rows(const Inspection<Exec, Matrix>& in, Parameters& parameters) {
    using backends::CpuTraits;
    const CpuTraits& cpu = backends::cpu_traits();
    const bool learns = parameters.way == Way::adaptive;
    const bool streams = comes_from_memory(in);

    if (parameters.runs ? *parameters.runs == Wanted::yes : learns) {
      const std::int64_t bytes = bytes_per_thread(in);
      runs_ = RowRuns<Exec>(in.exec, in.A, equal_rows_gain(tuning, cpu, bytes),
                            least_gain_of_runs(tuning, in.features.rows().mean_row(), bytes),
                            parameters.runs.has_value());
      hints_.runs = runs_.codes();
    }
    parameters.runs = hints_.runs ? Wanted::yes : Wanted::no;
    RowEnds ends = RowEnds::unforeseen;
    if (learns) ends = row_ends(in.exec, in.A.row_ptr().data(), in.A.rows(), cpu.predicted_rows);
    const bool chooses_loop = !parameters.loop;
    // If the processor has fast gathers, predicted branches gain nothing over masks.
    if (chooses_loop) parameters.loop = loop_for(ends, !cpu.fast_gathers);
    // A processor prefetches rows by itself, unless runs skip columns or rows wait for x.
    hints_.prefetch =
        parameters.prefetch
            ? *parameters.prefetch == Wanted::yes
            : learns && streams && cpu.software_prefetch_pays &&
                  (hints_.runs || (*parameters.loop == RowLoop::row && rows_wait_for_x(in)));
    parameters.prefetch = hints_.prefetch ? Wanted::yes : Wanted::no;
    const bool long_rows = in.features.rows().mean_row() >= tuning.long_row;
    if (chooses_loop && *parameters.loop == RowLoop::row && long_rows && !hints_.prefetch) {
      const bool contiguous = !hints_.runs && share_of_consecutive_columns(in.exec, in.A) >=
                                                  tuning.share_of_consecutive;
      parameters.loop = contiguous ? RowLoop::contiguous : RowLoop::two_sums;
    }
    hints_.loop = *parameters.loop;
    hints_.two_one_by_one = (hints_.runs || ends != RowEnds::foreseen) && !streams;
  }

  template <class Matrix>
  static bool rows_wait_for_x(const Inspection<Exec, Matrix>& in) {
    return in.features.rows().mean_row() <= CpuTuning::longest_prefetched &&
           mean_span_of_columns(in.exec, in.A) * sizeof(typename Operands::vector_type) >
               tuning.prefetched_span;
  }

  static RowLoop loop_for(RowEnds ends, bool branches_gain) {
    switch (ends) {
      case RowEnds::foreseen: return branches_gain ? RowLoop::row : RowLoop::four;
      case RowEnds::unforeseen: return RowLoop::four;
      case RowEnds::unpredictable: return RowLoop::branchless;
      case RowEnds::sparse: return RowLoop::sparse;
    }
    return RowLoop::four;
  }

  template <class Matrix>
  static bool comes_from_memory(const Inspection<Exec, Matrix>& in) {
    return bytes_per_thread(in) > tuning.cached_bytes_per_thread;
  }
  template <class Matrix>
  static std::int64_t bytes_per_thread(const Inspection<Exec, Matrix>& in) {
    const std::int64_t each = sizeof(typename Matrix::scalar_type) + sizeof(O);
    return static_cast<std::int64_t>(in.A.nonzeros()) * each / backends::threads_at_once(in.exec);
  }

  RowHints hints_;
  RowRuns<Exec> runs_;
};

}  // namespace heddle::detail::csr
