// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A format that is selected when a program begins, so that one program tests all of them.
#pragma once

#include "../../testing/user_block_diagonals.hpp"
#include "shared_formats.hpp"

namespace heddle::test {

#ifdef HEDDLE_TEST_CSR_ALONE
using TestedFormats = SharedFormats;
#else
/// Formats of a user.
struct UserFormat : Shared<user::DenseFormat> {
  static constexpr const char* tested_as = "user_format";
};
struct UserRecipe : Shared<user::BlockDiagonalFormat> {
  static constexpr const char* tested_as = "user_recipe";
};

namespace detail {
template <class List, class... More>
struct WithMore;
template <class... F, class... More>
struct WithMore<Formats<F...>, More...> {
  using type = Formats<F..., More...>;
};
}  // namespace detail

/// The formats that the suite of SpMV tests, each under a word of its own.
using TestedFormats = typename detail::WithMore<SharedFormats, UserFormat, UserRecipe>::type;
#endif

/// The word of a format: its name, unless it has a member tested_as.
template <class F>
std::string tested_as() {
  if constexpr (requires { F::tested_as; }) {
    return F::tested_as;
  } else {
    std::string name = F::name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }
}

/// The selected one of TestedFormats.
struct FormatUnderTest {
  static inline const char* name = "none";
  static constexpr bool takes_triangles = true;  // others' predict refuses them

  /// Selects the format of --format=WORD; without a valid one it lists the words and returns false.
  static bool take(int argc, char** argv);

  static SchemeGrammar grammar(const Device& device);
  static std::vector<Scheme> candidates(const Features& features, const Device& device);
  static std::vector<Scheme> in_place_candidates(const Features& features, const Device& device);
  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes);
  static bool applies(Op op, const Scheme& scheme);

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> executor;
    use([&](auto format) { executor = format.template inspect<V, Acc>(in, scheme); });
    return executor;
  }

 private:
  static inline std::string word_;

  /// Calls with(F()) for the format F under test.
  template <class With>
  static void use(const With& with) {
    TestedFormats::for_each([&](auto format) {
      if (tested_as<decltype(format)>() == word_) with(format);
    });
  }
};

}  // namespace heddle::test
