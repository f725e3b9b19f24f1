// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that plans keep, against their predictions.
#include <set>

#include "../../formats/inspect/definitions.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Type = OnePlanType<SharedFormats>;
using Exec = Type::Exec;
using Matrix = Type::Matrix;

/// Patterns so large that an arena's padding counts little.
std::vector<Pattern> kept_patterns() {
  std::vector<Pattern> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns, auto length) {
    all.push_back(random_pattern(name, 300 + all.size(), rows, columns, length));
  };
  all.push_back(banded_pattern("tridiagonal", 40000, 40000, {-1, 0, 1}));
  all.push_back(
      banded_pattern("nine-point", 20000, 20000, {-201, -200, -199, -1, 0, 1, 199, 200, 201}));
  add("random", 20000, 20000, [](std::int64_t i) { return i % 9; });
  add("mostly empty rows", 90000, 90000, [](std::int64_t i) { return i % 11 == 5 ? 2 : 0; });
  add("a few long rows", 30000, 30000,
      [](std::int64_t i) { return i % 7000 == 1 ? 15000 : 2 + i % 2; });
  add("long rows", 600, 40000, [](std::int64_t i) { return 300 + i % 50; });
  return all;
}

/// Whether rows and pattern determine the bytes, and not only an upper bound.
bool is_exact(const Scheme& scheme) {
  const std::string& format = scheme.format();
  if (format == "csr") return scheme.has("pack") && scheme.has("merge");
  return format == "dia" || format == "ell" || format == "coo" || format == "gcsr" ||
         format == "bcsr";
}

}  // namespace

TEST_CASE("kept_bytes: what a plan keeps, or somewhat more") {
  const Exec exec;
  const Device device = backends::describe(exec);
  const TestedSchemes<Type> schemes(exec);
  const std::vector<Scheme> all = schemes.all();
  constexpr double share = 0.25, few_bytes = 20000;
  std::set<std::string> made;
  for (const Pattern& pattern : kept_patterns()) {
    const auto A = to_device<Type>(exec, pattern);
    const Matrix matrix = A.matrix();
    const Features features = features_of(exec, matrix, row_features(exec, matrix));
    for (const ExpectedVectors vectors :
         {ExpectedVectors{1, true}, ExpectedVectors{8, true}, ExpectedVectors{8, false}}) {
      const Sizes sizes = sizes_of<Matrix, double, double>(vectors);
      for (const Scheme& scheme : all) {
        const Prediction prediction = Type::Formats::predict(scheme, features, device, sizes);
        if (!prediction.possible()) continue;
        SpmvOptions options;
        options.scheme = scheme;
        options.vectors = vectors;
        double kept = 0;
        try {
          kept = static_cast<double>(Type::Plan<>(exec, matrix, options, Type::Formats()).bytes());
        } catch (const Refusal&) {
          continue;
        }
        made.insert(scheme.format());
        INFO(scheme.to_string(), " of ", pattern.name, ", ", vectors.count, " vectors",
             std::string(vectors.apart ? " apart" : ""), ": keeps ", kept, ", predicted ",
             prediction.kept_bytes);
        CHECK(prediction.kept_bytes >= (1 - share) * kept - few_bytes);
        if (is_exact(scheme)) CHECK(prediction.kept_bytes <= (1 + share) * kept + few_bytes);
      }
    }
  }
  CHECK(made.size() == Type::Formats::grammars(device).size());
}

}  // namespace heddle::test
