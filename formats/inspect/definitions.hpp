// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check_promises.hpp"
#include "features.hpp"

/// The definitions of what pattern.hpp declares.
