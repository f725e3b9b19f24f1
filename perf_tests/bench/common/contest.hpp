// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../../backends/device.hpp"
#include "../../../backends/lanes.hpp"
#include "../../../core/multivector.hpp"
#include "../../../core/scheme_grammar.hpp"
#include "../../../formats/inspect/definitions.hpp"
#include "allocations.hpp"
#include "instances.hpp"
#include "load.hpp"

namespace heddle::bench {

/// The device of this build for its grammars, so that a list of schemes needs no device.
inline Device listed_device() {
  Device device;
  device.backend = backends::Tag<Exec>::kind;
  device.lanes = backends::max_subwarp_width<Exec>;
  device.waits_make_progress = backends::waits_make_progress<Exec>;
  return device;
}

/// The usage of each kernel's schemes.
inline std::vector<std::string> kernel_usages(const SchemeGrammar& legal) {
  std::vector<std::string> usages;
  for (const SchemeKernel& kernel : legal.kernels) {
    usages.push_back(SchemeGrammar(legal.format, {kernel}, legal.parameters).usage());
  }
  return usages;
}

/// One scheme of each kernel, its parameters left to the inspector.
inline std::vector<Scheme> kernel_schemes(const SchemeGrammar& legal) {
  std::vector<Scheme> schemes;
  for (const SchemeKernel& kernel : legal.kernels) {
    schemes.push_back(parse_scheme(legal.format + "/" + kernel.key.key, std::span(&legal, 1)));
  }
  return schemes;
}

/// The schemes of a word such as "all"; empty for the name of a scheme.
using Meant = std::optional<std::vector<Scheme>>;

/// The schemes that words ask for, each once. expand(word) is what a word means. "auto" is
/// skipped.
template <class Expand>
std::vector<Scheme> asked_schemes(const std::vector<std::string>& words,
                                  std::span<const SchemeGrammar> legal, const Expand& expand) {
  std::vector<Scheme> found;
  for (const std::string& word : words) {
    if (word == "auto") continue;
    const Meant meant = expand(word);
    for (const Scheme& one : meant ? *meant : std::vector{parse_scheme(word, legal)}) {
      if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
    }
  }
  return found;
}

/// The contestants of one matrix with one pair of types: sets up each of them, verifies them, and
/// times them in turns. The run of an operation derives from it, and enters its own schemes.
template <class Request_, class Problem_>
class Contest {
 public:
  using Request = Request_;
  using Problem = Problem_;
  using Contestant = typename Problem::Contestant;
  using Setup = std::function<std::unique_ptr<Contestant>()>;
  /// The largest error of a contestant's result over its bound; empty if nothing is known.
  using ErrorOf = std::function<std::optional<double>(Contestant&, ContestantResult&)>;

 protected:
  Contest(const Request& request, const Source& source, Progress& progress)
      : request_(request), source_(source), progress_(progress) {
    result_.source = source.text;
    result_.name = source.short_name();
    if constexpr (requires { problem_.row_major; }) {
      problem_.columns = request.columns;
      problem_.row_major = request.row_major();
    }
  }

  /// Takes the matrix that make(what was loaded) makes, on the host and on the device.
  template <class Make>
  void take_matrix(const Make& make) {
    using Matrix = typename Problem::Matrix;
    using S = typename Matrix::scalar_type;
    using Off = typename Matrix::offset_type;
    progress_.task(result_.name + (source_.generated ? ": generating" : ": reading"));
    const double begin = host_seconds();
    const HostStorage<S, Off> matrix = make(load<S, Off>(source_, request_.matrices.seed));
    result_.prepare_seconds = host_seconds() - begin;
    result_.picture = picture_of(matrix.matrix());
    result_.csr_bytes = static_cast<std::size_t>(matrix.nonzeros()) * (sizeof(S) + sizeof(Index)) +
                        (static_cast<std::size_t>(matrix.rows()) + 1) * sizeof(Off);
    result_.apply_bytes = result_.csr_bytes;
    problem_.take(exec_, matrix);
    result_.rows = row_features(exec_, problem_.A);
  }
  /// Takes a square matrix: columns ascend, each once, and the diagonal is whole. A generated
  /// pattern that is symmetric gets symmetric values if `mirrored`.
  void take_whole_matrix(const std::string& who, bool mirrored) {
    std::int64_t set = 0;
    take_matrix([&](const auto& loaded) {
      auto whole = with_whole_diagonal(loaded, who, set);
      if (mirrored && !loaded.own_values) mirror_values(whole);
      return whole;
    });
    if (set > 0) {
      result_.choice_reason = "the diagonal of " + std::to_string(set) + " rows was set";
    }
  }
  ExpectedVectors expected_vectors() const { return {problem_.columns, !problem_.row_major}; }
  /// Random vectors of the request's columns, as long as the matrix has rows.
  auto random_vectors(std::uint64_t stream) const {
    return test::random_columns<typename Problem::Matrix::scalar_type>(
        static_cast<std::size_t>(problem_.host.rows()), static_cast<std::size_t>(request_.columns),
        request_.matrices.seed + stream);
  }

  /// Sets up every contestant that enters from then on once more, to log its allocations.
  void look_at_allocations() { look_at_allocations_ = true; }

  /// Sets up a contestant several times: the first set-up includes loading kernels and libraries.
  ContestantResult& enter(const std::string& name, bool is_scheme, const Setup& setup) {
    progress_.task(result_.name + ": setting up " + name);
    ContestantResult entry;
    entry.name = name;
    entry.is_scheme = is_scheme;
    std::unique_ptr<Contestant> contestant;
    try {
      double spent = 0;
      for (int i = 0; i <= setups && (i < 2 || spent < setup_budget_seconds); ++i) {
        contestant.reset();
        exec_.fence("heddle::bench::setup");
        const double begin = host_seconds();
        contestant = setup();
        exec_.fence("heddle::bench::setup");
        const double took = host_seconds() - begin;
        spent += took;
        if (i == 0) {
          entry.first_setup_seconds = took;
          if (look_at_allocations_ && contestant->allocates_through_kokkos()) {
            contestant.reset();
            entry.allocations = measure_allocations(exec_, false, setup);
          }
        } else {
          entry.setup.seconds.push_back(took);
        }
      }
      contestant->run(exec_);
      exec_.fence("heddle::bench::first_apply");
      entry.bytes = contestant->bytes();
      entry.moved_bytes = contestant->moved_bytes();
      entry.scheme = contestant->scheme();
      entry.note = contestant->note();
      if (!entry.scheme.empty() && entry.scheme != name) {
        entry.note = entry.scheme + (entry.note.empty() ? "" : "; ") + entry.note;
      }
    } catch (const Error& error) {
      contestant.reset();
      entry.verdict = Verdict::unsupported;
      entry.note = error.what();
    }
    contestants_.push_back(std::move(contestant));
    return result_.contestants.emplace_back(std::move(entry));
  }

  /// Enters "auto", if it is asked for, and the asked schemes of a grammar, of which "all" is one
  /// of each kernel, by setup(scheme or nothing). `other`: a word that is no scheme.
  template <class SetupOf>
  void enter_schemes(const SchemeGrammar& legal, const std::string& other, const SetupOf& setup) {
    const auto enter_one = [&](const std::string& name, const std::optional<Scheme>& scheme) {
      ContestantResult& entry = enter(name, true, [&] { return setup(scheme); });
      if (!scheme) result_.chosen_scheme = entry.scheme;
      entry.chosen = scheme && !entry.scheme.empty() && entry.scheme == result_.chosen_scheme;
    };
    if (request_.automatic()) enter_one("auto", std::nullopt);
    const auto expand = [&](const std::string& word) {
      if (word == "all") return Meant(kernel_schemes(legal));
      return word == other ? Meant(std::in_place) : std::nullopt;
    };
    for (const Scheme& scheme : asked_schemes(request_.schemes, std::span(&legal, 1), expand)) {
      enter_one(scheme.to_string(), scheme);
    }
  }
  /// Enters the baselines that were asked for.
  void enter_baselines() {
    for (const auto& baseline : baselines<Problem>()) {
      if (!request_.wants_baseline(baseline.name)) continue;
      enter(baseline.name, false, [&] { return baseline.setup(exec_, problem_); });
    }
  }

  /// Calls use(contestant, its result) for each contestant that was set up.
  template <class Use>
  void for_each(const std::string& doing, const Use& use) {
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (!contestants_[i]) continue;
      ContestantResult& entry = result_.contestants[i];
      progress_.task(result_.name + ": " + doing + " " + entry.name);
      use(*contestants_[i], entry);
    }
  }

  void verify(const ErrorOf& error) {
    for_each("verifying", [&](Contestant& contestant, ContestantResult& entry) {
      const std::optional<double> over_bound = error(contestant, entry);
      if (over_bound) judge(entry, *over_bound);
    });
  }
  static void judge(ContestantResult& entry, double over_bound) {
    entry.error_over_bound = over_bound;
    entry.verdict = over_bound <= 1 ? Verdict::ok : Verdict::wrong;
  }

  /// Times contestant.update_values(exec) of those that have values to update.
  void time_updates() {
    for_each("updating", [&](Contestant& contestant, ContestantResult& entry) {
      if (!contestant.updates()) return;
      entry.update = time_repeated(exec_, {3, 10, 0.5}, [&] { contestant.update_values(exec_); });
    });
  }

  /// `long_applies`: see TimingOptions.
  void time_all(bool long_applies = false) {
    std::vector<Runner> runners;
    std::vector<ContestantResult*> entries;
    for_each("timing", [&](Contestant& contestant, ContestantResult& entry) {
      runners.push_back({entry.name, [this, &contestant] { contestant.run(exec_); }, {}, {}, {}});
      entries.push_back(&entry);
    });
    const TimingOptions options{.repetitions = request_.repetitions,
                                .precision = request_.precision,
                                .budget_seconds = request_.budget_seconds,
                                .flush = request_.flush,
                                .long_applies = long_applies,
                                .cache_bytes = backends::describe(exec_).cache_bytes};
    progress_.task(result_.name + ": timing");
    Stopwatch clock(exec_);
    result_.reference = time_in_turns(exec_, clock, runners, options, progress_);
    for (std::size_t i = 0; i < runners.size(); ++i) {
      entries[i]->time = std::move(runners[i].time);
      entries[i]->queued = std::move(runners[i].queued);
      entries[i]->latency = std::move(runners[i].latency);
    }
  }

  /// Enters the baselines, verifies all by the error that reference() returns, and times all.
  template <class Reference>
  void race(const Reference& reference) {
    enter_baselines();
    if (request_.verify()) {
      progress_.task(result_.name + ": reference");
      verify(reference());
    }
    time_all();
  }

  Request request_;
  Source source_;
  Progress& progress_;
  Exec exec_;
  Problem problem_;
  MatrixResult result_;

 private:
  static constexpr int setups = 3;
  static constexpr double setup_budget_seconds = 1;

  bool look_at_allocations_ = false;
  std::vector<std::unique_ptr<Contestant>> contestants_;
};

}  // namespace heddle::bench
