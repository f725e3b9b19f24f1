// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "petsc_read.hpp"
#include "petsc_write.hpp"
