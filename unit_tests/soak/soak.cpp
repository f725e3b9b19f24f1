// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle_soak [SECONDS] [FIRST_SEED]: random products of every format, scheme and layout, held
// against an oracle. heddle_soak --seed N: one of them again, in words.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "../support/plan_types.hpp"
#include "../support/watchdog.hpp"
#include "draw.hpp"

namespace heddle::test {

namespace {

struct Outcome {
  std::string what;     ///< the case in words
  std::string problem;  ///< empty if all is well
  int products = 0;
  int refusals = 0;
};

template <class T>
class Case {
 public:
  using S = typename T::Scalar;

  explicit Case(std::uint64_t seed)
      : random_(seed),
        pattern_(draw_pattern(random_)),
        A_(to_device<T>(exec_, pattern_, seed)),
        op_(random_.below(3) ? Op::none : static_cast<Op>(random_.below(4))),
        alpha_(draw_factor<S>(random_)),
        beta_(draw_factor<S>(random_)),
        count_(draw_count(random_)),
        x_(random_, A_.rows_of_x(op_), count_),
        y_(random_, A_.rows_of_y(op_), count_) {
    x_.fill(random_);
    y_.fill(random_);
    if (beta_ == S(0)) fill_with_poison(y_.data);
    if (alpha_ == S(0)) fill_with_poison(x_.data);
    reference_ = reference_spmv(op_, alpha_, A_.host.matrix(), x_.view(), beta_, y_.view());
  }

  Outcome run() {
    Outcome outcome;
    std::ostringstream text;
    text << T::Exec::name() << ", " << 8 * sizeof(S) << "-bit "
         << (is_complex<S> ? "complex" : "real") << ", " << 8 * sizeof(typename T::Offset)
         << "-bit offsets, " << pattern_.name << ", " << A_.host.nonzeros() << " nonzeros, op "
         << name(op_) << ", alpha " << alpha_ << ", beta " << beta_ << ", " << count_
         << " vectors, x " << x_.words() << ", y " << y_.words();
    outcome.what = text.str();
    const std::vector<Scheme> variants = T::Formats::variants(backends::describe(exec_));
    for (int i = 0; i < 4 && outcome.problem.empty(); ++i) {
      SpmvOptions options;
      const auto draw = static_cast<std::size_t>(random_.below(std::ssize(variants) + 1));
      if (draw < variants.size()) options.scheme = variants[draw];
      options.vectors = {random_.below(2) ? 1 : static_cast<int>(1 + random_.below(40)),
                         random_.below(3) > 0};
      options.expected_applies = random_.below(2) ? 1 : 1000;
      if (transposes(op_)) options.ops = {op_};
      run_plan(options, outcome);
    }
    return outcome;
  }

 private:
  void run_plan(const SpmvOptions& options, Outcome& outcome) {
    const auto fails = [&](const std::string& scheme, const std::string& problem) {
      outcome.problem = scheme + " for " + std::to_string(options.vectors.count) + " vectors" +
                        (options.vectors.apart ? " apart: " : " side by side: ") + problem;
    };
    try {
      typename T::template Plan<> plan(exec_, A_.matrix(), options, typename T::Formats());
      if (random_.below(4) == 0) plan.update_values(exec_, A_.matrix());
      const auto x = copy_to<typename T::Space>(x_.data);
      for (int again = random_.below(3) ? 1 : 2; again > 0; --again) {
        const auto y = copy_to<typename T::Space>(y_.data);
        if (count_ == 1 && random_.below(2)) {
          plan.apply(exec_, op_, alpha_, x_.first_of(x), beta_, y_.first_of(y));
        } else {
          plan.apply(exec_, op_, alpha_, x_.view_of(x), beta_, y_.view_of(y));
        }
        exec_.fence("heddle::test::applied");
        ++outcome.products;
        const auto result = to_host(y);
        const std::string wrong = mismatch(reference_, y_.view_of(result));
        if (!wrong.empty()) return fails(plan.scheme(op_).to_string(), wrong);
        if (!y_.same_outside(result)) {
          return fails(plan.scheme(op_).to_string(), "something was written beside y");
        }
      }
    } catch (const Refusal&) {
      ++outcome.refusals;
    } catch (const std::exception& error) {
      fails(options.scheme ? options.scheme->to_string() : "(chosen)", error.what());
    }
  }

  typename T::Exec exec_;
  Random random_;
  Pattern pattern_;
  DeviceMatrix<T> A_;
  Op op_;
  S alpha_, beta_;
  std::size_t count_;
  DrawnVectors<S> x_, y_;
  Reference reference_;
};

template <class... T>
Outcome run_case(std::uint64_t seed, std::tuple<T...>*) {
  using Run = Outcome (*)(std::uint64_t);
  const Run runs[] = {[](std::uint64_t s) { return Case<T>(s).run(); }...};
  return runs[Random(~seed).bits() % sizeof...(T)](seed);
}

Outcome run_case(std::uint64_t seed) {
  const Watchdog watchdog("a product of heddle_soak");
  return run_case(seed, static_cast<PlanTypes<AllFormats>*>(nullptr));
}

int run_one(std::uint64_t seed) {
  const Outcome outcome = run_case(seed);
  std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(seed), outcome.what.c_str(),
              outcome.problem.empty() ? "no problem" : outcome.problem.c_str());
  return outcome.problem.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run_many(double seconds, std::uint64_t first) {
  std::printf("heddle_soak: %g s from seed %llu\n", seconds,
              static_cast<unsigned long long>(first));
  std::fflush(stdout);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  long long products = 0, refusals = 0;
  std::uint64_t seed = first;
  do {
    const Outcome outcome = run_case(seed);
    products += outcome.products;
    refusals += outcome.refusals;
    if (!outcome.problem.empty()) {
      std::printf("FAILED: %s\n%s\nagain: heddle_soak --seed %llu\n", outcome.what.c_str(),
                  outcome.problem.c_str(), static_cast<unsigned long long>(seed));
      return EXIT_FAILURE;
    }
    ++seed;
  } while (Clock::now() < end);
  std::printf("%lld products of %llu matrices agree with the oracle, %lld plans were refused\n",
              products, static_cast<unsigned long long>(seed - first), refusals);
  return products > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int usage() {
  std::fprintf(stderr, "usage: heddle_soak [SECONDS] [FIRST_SEED], or heddle_soak --seed N\n");
  return 2;
}

}  // namespace

}  // namespace heddle::test

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [](const std::string& text, auto& value) {
    std::istringstream in(text);
    return in >> value && in.eof();
  };
  const bool one = words.size() == 2 && words[0] == "--seed";
  double seconds = 10;
  auto seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                         std::chrono::seconds(1)) *
              1000000;
  if (!one && words.size() > 0 && !(number(words[0], seconds) && seconds >= 0)) {
    return heddle::test::usage();
  }
  if (words.size() > 2 || (words.size() == 2 && !number(words[1], seed))) {
    return heddle::test::usage();
  }
  const Kokkos::ScopeGuard kokkos;
  return one ? heddle::test::run_one(seed) : heddle::test::run_many(seconds, seed);
}
