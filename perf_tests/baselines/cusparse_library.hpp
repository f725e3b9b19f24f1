// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts that the cuSPARSE baselines share.
#pragma once

#include <cusparse.h>

#include "../../core/error.hpp"
#include "../bench/common/problem.hpp"

namespace heddle::bench::cusparse {

template <class T>
constexpr cudaDataType data_type() {
  if constexpr (std::is_same_v<T, float>) return CUDA_R_32F;
  if constexpr (std::is_same_v<T, double>) return CUDA_R_64F;
  if constexpr (std::is_same_v<T, Kokkos::complex<float>>) return CUDA_C_32F;
  if constexpr (std::is_same_v<T, Kokkos::complex<double>>) return CUDA_C_64F;
}

template <class T>
constexpr cusparseIndexType_t index_type() {
  return sizeof(T) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

inline void check(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw Error(std::string(what) + ": " + cusparseGetErrorString(status),
              "leave this baseline out for this problem");
}

/// The library's handle is made once: its creation takes milliseconds and depends on no matrix.
inline cusparseHandle_t library(const Exec& exec) {
  static const cusparseHandle_t handle = [] {
    cusparseHandle_t created = nullptr;
    check(cusparseCreate(&created), "cusparseCreate");
    return created;
  }();
  check(cusparseSetStream(handle, exec.cuda_stream()), "cusparseSetStream");
  return handle;
}

/// cuSPARSE accepts const arrays only through mutable pointers.
template <class View>
void* mutable_data(const View& view) {
  return const_cast<typename View::non_const_value_type*>(view.data());
}

}  // namespace heddle::bench::cusparse
