// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of floats: three kinds of vectors and sums in one source, since they share inspectors.
#include "trial_plans.hpp"

namespace heddle::test {

const AddTrialsOf<FloatType> plain("float");
const AddTrialsOf<FloatType, double> in_double("float in vectors of double");
const AddTrialsOf<FloatType, float, double> summed_in_double("float summed in double");

}  // namespace heddle::test
