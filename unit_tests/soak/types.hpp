// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a source of trials names: its types, and their trials.
#pragma once

#include "../support/shared_formats.hpp"
#include "trial_spmv.hpp"
#include "trial_sptrsv.hpp"

namespace heddle::test {

/// Products and triangular solves in the k-th of TestedTypes, of vectors of V and sums in Acc.
template <std::size_t k, Scalar V = typename TestedPlanType<SharedFormats, k>::Scalar,
          Scalar Acc = V>
void add_trials(std::vector<Trial>& trials, const std::string& types) {
  using T = TestedPlanType<SharedFormats, k>;
  using Triangle = TriangleType<typename T::Exec, typename T::Scalar,
                                Indices<typename T::Ordinal, typename T::Offset>>;
  trials.push_back({"spmv " + types, &SpmvTrial<T, V, Acc>::run});
  trials.push_back({"sptrsv " + types, &SptrsvTrial<Triangle, V, Acc>::run});
}

}  // namespace heddle::test
