// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was learned about the times of products and triangular solves on a device: docs/choose.md.
#pragma once

#include "model/read.hpp"
