// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.hpp"

namespace heddle::test {

std::vector<Trial> trials_of_portable() {
  std::vector<Trial> trials;
  add_trials<PortableType>(trials, "portable double");
  return trials;
}

}  // namespace heddle::test
