// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../backends/lanes.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/scheme.hpp"
#include "../common/inspection.hpp"
#include "../common/pinned_simd.hpp"
#include "host_simd_rows.hpp"
#include "row_ends.hpp"
#include "row_hints.hpp"
#include "row_runs.hpp"
#include "tuning.hpp"

namespace heddle::detail::csr {

/// Says that nobody has inspected the matrix.
struct WithoutPlan {};

/// The parameters of a csr scheme that only CPUs have, resolved: what the scheme leaves out is
/// decided by the processor, and for csr/adaptive by the rows of the matrix.
///
///     simd=none|loads|gathers                how SIMD registers are used
///     loop=row|four|branchless|sparse        how rows are gone through (with simd)
///     runs=yes|no                            runs of like rows are taken together (with simd)
///     prefetch=yes|no                        the matrix is asked for ahead (with simd)
template <ExecutionSpace Exec, class Operands>
class HostVariant {
 public:
  HostVariant() = default;
  /// Without a plan: what the processor does best.
  explicit HostVariant(WithoutPlan) { hints_.simd = resolve_simd(); }

  /// Throws Refusal for what these types or this processor do not have. csr/adaptive looks at the
  /// matrix: two or three passes over row_ptr, one over col_idx, and waits for them.
  template <class Matrix>
  HostVariant(const Inspection<Exec, Matrix>& in, const Scheme& scheme) : scheme_(scheme) {
    hints_.simd = resolve_simd();
    if (hints_.simd == backends::Simd::none) refuse_without_simd({"loop", "runs", "prefetch"});
    if constexpr (can_use_simd) {
      if (hints_.simd == backends::Simd::none) return;
      if (takes_any_rows()) {
        hints_.two_one_by_one = !comes_from_memory(in);
      } else {
        resolve_rows(in);
      }
    }
  }

  const RowHints& hints() const { return hints_; }
  std::size_t bytes() const { return runs_.bytes(); }

  /// The resolved parameters, in the grammar's order.
  void append_to(std::vector<SchemeTerm>& terms) const {
    terms.emplace_back("simd", backends::name(hints_.simd));
    if (hints_.simd == backends::Simd::none || takes_any_rows()) return;
    terms.emplace_back("loop", name(hints_.loop));
    terms.emplace_back("runs", hints_.runs ? "yes" : "no");
    terms.emplace_back("prefetch", hints_.prefetch ? "yes" : "no");
  }

 private:
  using O = typename Operands::ordinal_type;
  static constexpr bool can_use_simd = suits_simd<Operands> && backends::runs_on_host<Exec>;

  /// Whether the scheme goes through rows in the one way that suits any.
  bool takes_any_rows() const { return scheme_.has("scalar") || scheme_.has("blocks"); }

  backends::Simd resolve_simd() const {
    using backends::Simd;
    constexpr bool gathers = sizeof(O) == 4;
    const std::string text = "scheme '" + scheme_.to_string() + "': ";
    if (!can_use_simd) {
      if (scheme_.has("simd") && scheme_.value("simd") != backends::name(Simd::none)) {
        throw Refusal(text + "these types have plain loops only", "pin simd=none");
      }
      return Simd::none;
    }
    const std::optional<Simd> pinned = pinned_simd(scheme_);
    if (!pinned) {
      const Simd best = backends::best_simd();
      return best == Simd::gathers && !gathers ? Simd::loads : best;
    }
    if (*pinned == Simd::gathers && !gathers) {
      throw Refusal(text + "gathers take 32-bit ordinals", "pin simd=loads");
    }
    return *pinned;
  }

  void refuse_without_simd(const std::vector<const char*>& keys) const {
    for (const char* key : keys) {
      if (!scheme_.has(key)) continue;
      throw Refusal("scheme '" + scheme_.to_string() + "': " + key + " is for SIMD registers",
                    "these types or this processor have plain loops only: leave it out");
    }
  }

  template <class Matrix>
  void resolve_rows(const Inspection<Exec, Matrix>& in) {
    using backends::CpuTraits;
    const CpuTraits& cpu = backends::cpu_traits();
    const bool learns = scheme_.has("adaptive");
    const bool streams = comes_from_memory(in);

    const std::string runs = said("runs");
    if (runs == "yes" || (runs.empty() && learns)) {
      runs_ = RowRuns<Exec>(in.exec, in.A, runs == "yes");
      hints_.runs = runs_.codes();
    }
    const std::string prefetch = said("prefetch");
    hints_.prefetch =
        prefetch.empty() ? learns && streams && cpu.software_prefetch_pays : prefetch == "yes";

    RowEnds ends = RowEnds::unforeseen;
    if (learns) ends = row_ends(in.exec, in.A.row_ptr().data(), in.A.rows(), cpu.predicted_rows);
    const std::string loop = said("loop");
    // Where the processor gathers, branches that are foreseen gain nothing over masks.
    hints_.loop = loop.empty() ? loop_for(ends, !cpu.fast_gathers) : *row_loop_named(loop);
    hints_.two_one_by_one = (hints_.runs || ends != RowEnds::foreseen) && !streams;
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
    const std::int64_t each = sizeof(typename Matrix::scalar_type) + sizeof(O);
    const std::int64_t bytes = static_cast<std::int64_t>(in.A.nonzeros()) * each;
    return bytes / backends::threads_at_once(in.exec) >
           cpu_tuning<backends::Host>.cached_bytes_per_thread;
  }

  std::string said(const char* key) const { return scheme_.has(key) ? scheme_.value(key) : ""; }

  Scheme scheme_;
  RowHints hints_;
  RowRuns<Exec> runs_;
};

}  // namespace heddle::detail::csr
