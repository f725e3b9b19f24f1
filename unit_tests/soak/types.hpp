// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of a source of trials, and their trials.
#pragma once

#include "../support/shared_formats.hpp"
#include "trial_spmv.hpp"
#include "trial_sptrsv.hpp"

namespace heddle::test {

/// Products and triangular solves in a type, with vectors of V and sums in Acc; none if it is not
/// among TestedTypes.
template <class T, Scalar V = typename T::Scalar, Scalar Acc = V>
void add_trials(std::vector<Trial>& trials, const std::string& types) {
  if constexpr (is_tested<T>) {
    using Triangle = TriangleType<typename T::Exec, typename T::Scalar,
                                  Indices<typename T::Ordinal, typename T::Offset>>;
    trials.push_back({"spmv " + types, &SpmvTrial<WithFormats<SharedFormats, T>, V, Acc>::run});
    trials.push_back({"sptrsv " + types, &SptrsvTrial<Triangle, V, Acc>::run});
  }
}

}  // namespace heddle::test
