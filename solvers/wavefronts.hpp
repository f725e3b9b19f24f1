// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wavefronts/wavefronts.hpp"

/// Loops whose iterations depend on each other, run in parallel: Wavefronts.
