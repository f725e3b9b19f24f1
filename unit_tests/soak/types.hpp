// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a source of trials names: its types, and their trials.
#pragma once

#include "trial_spmv.hpp"
#include "trial_sptrsv.hpp"

namespace heddle::test {

/// Products and triangular solves, of vectors of V and sums in Acc.
template <class E, class S, class I, Scalar V = S, Scalar Acc = V>
void add_trials(std::vector<Trial>& trials, const std::string& types) {
  trials.push_back({"spmv " + types, &SpmvTrial<PlanType<AllFormats, E, S, I>, V, Acc>::run});
  trials.push_back({"sptrsv " + types, &SptrsvTrial<TriangleType<E, S, I>, V, Acc>::run});
}

}  // namespace heddle::test
