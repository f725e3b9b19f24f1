// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trial of heddle_soak: all of it is drawn from one seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../testing/random.hpp"

namespace heddle::test {

struct Outcome {
  std::string what;     ///< description of the case
  std::string problem;  ///< empty if none
  int applies = 0;
  int refusals = 0;  ///< plans that refuse a matrix or a budget
};

struct Trial {
  std::string name;
  Outcome (*run)(Random&);
};

/// The trials of each trial_NAME.cpp, separate sources so that they compile in parallel.
std::vector<Trial> trials_of_double();
std::vector<Trial> trials_of_float();
std::vector<Trial> trials_of_complex();
std::vector<Trial> trials_of_portable();
std::vector<Trial> trials_of_wavefronts();
std::vector<Trial> trials_of_gauss_seidel();
std::vector<Trial> trials_of_ilu();
std::vector<Trial> trials_of_krylov();
std::vector<Trial> trials_of_singular();
std::vector<Trial> trials_of_csr();
std::vector<Trial> trials_of_multigrid();
std::vector<Trial> trials_of_lobpcg();
std::vector<Trial> trials_of_sgd();

}  // namespace heddle::test
