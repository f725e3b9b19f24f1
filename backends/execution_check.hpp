// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Before a function template of host and device that is given functions of the host alone where
/// only the host calls it: nvcc would warn of the call on a device that never happens.
#ifdef __NVCC__
#define HEDDLE_NO_EXECUTION_CHECK _Pragma("nv_exec_check_disable")
#else
#define HEDDLE_NO_EXECUTION_CHECK
#endif
