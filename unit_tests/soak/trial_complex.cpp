// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trial_plans.hpp"

namespace heddle::test {

const AddTrialsOf<ComplexFloatType> of_float("complex<float>, 64-bit offsets");
const AddTrialsOf<ComplexDoubleType> of_double("complex<double>, 64-bit indices");

}  // namespace heddle::test
