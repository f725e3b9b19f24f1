// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/measure.hpp"
#include "../../core/pinned_scheme.hpp"
#include "core.hpp"
#include "rank.hpp"

namespace heddle::detail {

/// Makes executors of one matrix, which keep no more than options.max_bytes.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Inspector {
 public:
  using Executor = SpmvExecutor<Exec, Matrix, V, Acc>;
  using Result = Inspected<Exec, Matrix, V, Acc>;

  using Table = FormatTable<Exec, Matrix, V, Acc>;

  Inspector(const Table& table, const Inspection<Exec, Matrix>& in, const ChooseOptions& options)
      : table_(table), in_(in), options_(options) {}

  /// Of the scheme that the user has pinned. Throws Refusal, before anything is allocated that
  /// stays, if the format refuses or is predicted to keep far too many bytes, and after it has
  /// freed them if they turn out to be too many.
  Result pinned(const Scheme& by_user) const {
    const PinnedScheme asked = resolved(by_user);
    Result result = asked.scheme ? pinned_alone(*asked.scheme) : best_of(by_user.format(), asked);
    if (asked.idle.empty()) return result;
    result.choice.seen = asked.explain();
    result.shown = asked.shown(result.executor->scheme());
    return result;
  }

  /// The same of a scheme of this device.
  Result pinned_alone(Scheme scheme) const {
    const Prediction prediction =
        predict_alone(table_.formats, scheme, in_.features, in_.device, in_);
    const bool far_too_many = !too_many(scheme, prediction.kept_bytes / surely_beyond).empty();
    if (prediction.possible() && far_too_many) refuse(scheme, prediction.kept_bytes);
    auto executor = inspect(scheme);
    return {{std::move(scheme), "pinned by the caller"}, std::move(executor)};
  }

  /// Of the scheme of a format that is predicted to be the best, where the kernel that was pinned
  /// is another backend's.
  Result best_of(const std::string& format, const PinnedScheme& asked) const {
    std::vector<RankedScheme> ranking;
    for (const RankedScheme& one : rank(table_.formats, in_.features, in_.device, options_)) {
      if (one.scheme.format() != format) continue;
      std::vector<SchemeTerm> terms = one.scheme.terms();
      for (const SchemeTerm& term : asked.rest) {
        if (!one.scheme.has(term.key)) terms.push_back(term);
      }
      ranking.push_back(predicted(table_.formats, Scheme(format, std::move(terms)), in_.features,
                                  in_.device, options_));
    }
    Result result = best_in(std::move(ranking));
    result.choice.reason =
        "the kernel that was pinned is another backend's; " + result.choice.reason;
    return result;
  }

  /// Of a scheme that was measured before to take `seconds`. Throws Error where it cannot be had.
  Result remembered(const Scheme& before, double seconds) const {
    Scheme scheme = resolve(before, grammars(table_.formats, in_.device));
    RankedScheme one = predicted(table_.formats, scheme, in_.features, in_.device, options_);
    if (!one.prediction.possible()) throw Refusal(one.prediction.refusal, "measure again");
    one.measured_seconds = seconds;
    auto executor = inspect(scheme);
    return {{std::move(scheme), "the fastest of those that were measured before", {std::move(one)}},
            std::move(executor)};
  }

  /// Of the scheme that is predicted to be the best, and of the next where that one turns out to be
  /// refused, to keep too many bytes, or to need more memory than there is. Throws Refusal if none
  /// is left, and OutOfMemory if it was memory that the last one lacked.
  Result best() const { return best_in(rank(table_.formats, in_.features, in_.device, options_)); }
  /// The same of a ranking.
  Result best_in(std::vector<RankedScheme> ranking) const {
    while (true) {
      std::unique_ptr<Executor> executor = try_at(ranking, 0);
      if (!executor) continue;
      return {first_of(std::move(ranking), options_), std::move(executor)};
    }
  }

  /// Of the fastest of the schemes that are predicted to be the best: as many as `seconds` allow,
  /// but two at least where there are two. All measured ones come first in the ranking. Throws as
  /// best() does.
  Result fastest(double seconds) const {
    std::vector<RankedScheme> ranking = rank(table_.formats, in_.features, in_.device, options_);
    const MeasuredVectors<Exec, V> vectors(in_.exec, in_.A.columns(), in_.A.rows(), in_.vectors);
    Fastest<std::unique_ptr<Executor>> fastest(seconds);
    while (fastest.measured() < ranking.size()) {
      const std::size_t at = fastest.measured();
      settle(table_.formats, ranking, at, in_.features, in_.device, options_);
      const Prediction& next = ranking[at].prediction;
      if (at > 0 && (!next.possible() || !fastest.has_time(next.setup_seconds))) break;
      std::unique_ptr<Executor> executor = try_at(ranking, at);
      if (!executor) continue;
      const double takes = seconds_of_apply(in_.exec, fastest.budget(), [&] {
        executor->apply(in_.exec, Op::none, Acc(1), vectors.x(), Acc(0), vectors.y());
      });
      ranking[at].measured_seconds = takes;
      fastest.offer(std::move(executor), takes);
    }
    sort_ranking(ranking, 0, fastest.measured(), [](const RankedScheme& a, const RankedScheme& b) {
      return a.measured_seconds < b.measured_seconds;
    });
    Choice choice = first_of(std::move(ranking), options_);
    choice.reason = fastest.reason(choice.reason);
    return {std::move(choice), fastest.take()};
  }

 private:
  PinnedScheme resolved(const Scheme& by_user) const {
    const std::size_t at = place_of(table_.formats, by_user);
    if (at < table_.formats.size()) {
      return resolve_pinned(by_user, in_.device, table_.formats[at].grammar);
    }
    try {
      return {resolve(by_user, grammars(table_.formats, in_.device))};
    } catch (const Error& error) {
      throw Error(error.problem(), error.remedy() +
                                       "; others go into the plan's list, as those of "
                                       "heddle/formats/all_formats.hpp: Formats<CsrFormat, "
                                       "TiledFormat>, or DefaultFormats::With<TiledFormat>");
    }
  }

  /// Predictions of bytes are estimates: below this many times what is allowed it is tried out.
  static constexpr double surely_beyond = 2;
  std::string too_many(const Scheme& scheme, double kept_bytes) const {
    return too_many_bytes(table_.formats, scheme, kept_bytes, in_.features.rows(), options_);
  }

  [[noreturn]] void refuse(const Scheme& scheme, double kept_bytes) const {
    throw Refusal(scheme.to_string() + ": " + too_many(scheme, kept_bytes),
                  "raise options.max_bytes, or take csr/scalar, which keeps nothing");
  }

  std::unique_ptr<Executor> inspect(const Scheme& scheme) const {
    auto executor = table_.inspect(in_, scheme);
    const auto bytes = static_cast<double>(executor->bytes());
    if (!too_many(scheme, bytes).empty()) refuse(scheme, bytes);
    return executor;
  }

  /// Of the scheme at that place of the ranking; null where it cannot be had, which is noted there,
  /// and others have come to its place. Throws if no other is left.
  std::unique_ptr<Executor> try_at(std::vector<RankedScheme>& ranking, std::size_t place) const {
    const bool possible = place < ranking.size() && ranking[place].prediction.possible();
    if (!possible) first_of(ranking, options_);
    const auto note = [&](const Error& error) {
      ranking[place].prediction.refusal = error.problem();
      settle(table_.formats, ranking, place, in_.features, in_.device, options_);
      return place > 0 || ranking[place].prediction.possible();
    };
    try {
      return inspect(ranking[place].scheme);
    } catch (const Refusal& refusal) {
      note(refusal);
    } catch (const OutOfMemory& error) {
      if (!note(error)) throw;
    }
    return nullptr;
  }

  const Table& table_;
  const Inspection<Exec, Matrix>& in_;
  const ChooseOptions& options_;
};

}  // namespace heddle::detail
