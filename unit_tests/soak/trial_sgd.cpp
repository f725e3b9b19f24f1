// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epochs of matrix factorization by every schedule, rank and shape of blocks, against a loop in the
// order of the schedule: the same bits on a host, equal up to rounding on a device, and the same
// bits on another instance.
#include <iomanip>
#include <sstream>

#include "../support/sgd_reference.hpp"
#include "draw_numbers.hpp"
#include "draw_pattern.hpp"
#include "trial.hpp"

namespace heddle::test {

namespace {

template <class Exec>
class SgdTrial {
 public:
  static Outcome run(Random& random) { return SgdTrial(random).follow(); }

 private:
  explicit SgdTrial(Random& random) : random_(random), exec_(draw_instance<Exec>(random)) {
    const auto extent = [&] {
      const std::int64_t largest[] = {1, 20, 300};
      return static_cast<int>(1 + random.below(1 + cut(one_of(random, largest))));
    };
    ratings_ = some_ratings<float>(extent(), extent(), static_cast<int>(random.below(cut(2000))),
                                   random.bits());
    const int ranks[] = {1, 7, 16, 31, 32, 40};
    options_.rank = one_of(random, ranks);
    options_.seed = once_in(random, 3) ? 0 : random.bits();
    const SgdSchedule schedules[] = {SgdSchedule::block_diagonals, SgdSchedule::block_diagonals,
                                     SgdSchedule::diagonals};
    options_.schedule = one_of(random, schedules);
    if (options_.schedule == SgdSchedule::block_diagonals && once_in(random, 2)) {
      options_.block_rows = 1 + random.below(ratings_.rows + 3);
      options_.block_columns = 1 + random.below(ratings_.columns + 3);
    }
    outcome_.what = "threads " + std::to_string(exec_.concurrency()) + ", " +
                    std::to_string(ratings_.value.size()) + " ratings of " +
                    std::to_string(ratings_.rows) + " x " + std::to_string(ratings_.columns) +
                    ", rank " + std::to_string(options_.rank) + ", seed " +
                    std::to_string(options_.seed);
  }

  Outcome follow() {
    try {
      const SgdPlan<Exec, float> plan(exec_, ratings_.on<typename Exec::memory_space>(), options_);
      outcome_.what += ", " + plan.scheme().to_string();
      const int epochs = static_cast<int>(1 + random_.below(3));
      Factors<Exec, float> factors = run(plan, epochs), expected(ratings_, options_.rank);
      plan.start(exec_, expected.p, expected.q);
      exec_.fence("heddle::test::started");
      expected.copy_back();
      const int rank = options_.rank;
      const int lanes = rank == 16 || rank == 32 ? rank : backends::has_lanes<Exec> ? 32 : 1;
      for (int epoch = 0; epoch < epochs; ++epoch) {
        reference_epoch<float>(ratings_, plan.options(), lanes, expected.host_p, expected.host_q,
                               rate, lambda);
      }
      exec_ = draw_instance<Exec>(random_);
      const Factors<Exec, float> again = run(plan, epochs);
      const int updates = epochs * most_updates(ratings_);
      const auto off = [&](const auto& a, const auto& b) {
        return std::max(off_by(a.host_p, b.host_p, updates), off_by(a.host_q, b.host_q, updates));
      };
      outcome_.applies += 2 * epochs;
      if (!(off(factors, expected) <= (rounds_alike<Exec> ? 0 : 1))) {
        outcome_.problem = "not the factors of the loop";
      }
      if (!(off(again, factors) <= 0)) outcome_.problem = "other bits on another instance";
      if (!read_again()) outcome_.problem = "a file of the ratings gives others";
      if (!std::isfinite(plan.rmse(exec_, factors.p, factors.q))) {
        outcome_.problem = "factors that are not finite";
      }
    } catch (const std::exception& error) {
      outcome_.problem = error.what();
    }
    return outcome_;
  }

  /// Writes the ratings in a text format; whether they are read back unchanged.
  bool read_again() {
    const char* const separators[] = {" ", "\t", ",", ";", "::", " , "};
    const std::string separator = one_of(random_, separators);
    const bool times = once_in(random_, 2);
    std::string text = once_in(random_, 3) ? "\xef\xbb\xbf" : "";
    if (once_in(random_, 3)) text += "user" + separator + "item" + separator + "rating\n";
    for (std::size_t k = 0; k < ratings_.value.size(); ++k) {
      std::ostringstream line;
      line << std::setprecision(9) << ratings_.row[k] << separator << ratings_.column[k]
           << separator << ratings_.value[k];
      if (times) line << separator << 881250949;
      text += line.str() + (once_in(random_, 9) ? "\r\n\n" : "\n");
    }
    const auto read = parse_ratings<float>(text);
    bool same = read.value.extent(0) == ratings_.value.size();
    for (std::size_t k = 0; same && k < ratings_.value.size(); ++k) {
      same = read.row(k) == ratings_.row[k] && read.column(k) == ratings_.column[k] &&
             read.value(k) == ratings_.value[k];
    }
    return same;
  }

  Factors<Exec, float> run(const SgdPlan<Exec, float>& plan, int epochs) {
    Factors<Exec, float> factors(ratings_, options_.rank);
    plan.start(exec_, factors.p, factors.q);
    for (int epoch = 0; epoch < epochs; ++epoch) {
      plan.epoch(exec_, factors.p, factors.q, rate, lambda);
    }
    exec_.fence("heddle::test::epochs");
    factors.copy_back();
    return factors;
  }

  static constexpr float rate = 0.03f, lambda = 0.02f;
  Random& random_;
  Exec exec_;
  HostRatings<float> ratings_;
  SgdOptions options_;
  Outcome outcome_;
};

}  // namespace

std::vector<Trial> trials_of_sgd() { return {{"sgd", &SgdTrial<DefaultDevice>::run}}; }

}  // namespace heddle::test
