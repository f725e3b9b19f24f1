// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts that the rocSPARSE baselines share.
#pragma once

#include <rocsparse/rocsparse.h>

#include "../../core/error.hpp"
#include "../bench/common/problem.hpp"

namespace heddle::bench::rocsparse {

template <class T>
constexpr rocsparse_datatype data_type() {
  if constexpr (std::is_same_v<T, float>) {
    return rocsparse_datatype_f32_r;
  } else if constexpr (std::is_same_v<T, double>) {
    return rocsparse_datatype_f64_r;
  } else if constexpr (std::is_same_v<T, Kokkos::complex<float>>) {
    return rocsparse_datatype_f32_c;
  } else {
    return rocsparse_datatype_f64_c;
  }
}

template <class T>
constexpr rocsparse_indextype index_type() {
  return sizeof(T) == 8 ? rocsparse_indextype_i64 : rocsparse_indextype_i32;
}

inline void check(rocsparse_status status, const char* what) {
  if (status == rocsparse_status_success) return;
  throw Error(std::string(what) + " failed with status " + std::to_string(status),
              "leave this baseline out for this problem");
}

/// The library's handle is made once: its creation depends on no matrix.
inline rocsparse_handle library(const Exec& exec) {
  static const rocsparse_handle handle = [] {
    rocsparse_handle created = nullptr;
    check(rocsparse_create_handle(&created), "rocsparse_create_handle");
    return created;
  }();
  check(rocsparse_set_stream(handle, exec.hip_stream()), "rocsparse_set_stream");
  return handle;
}

/// rocSPARSE accepts const arrays only through mutable pointers.
template <class View>
void* mutable_data(const View& view) {
  return const_cast<typename View::non_const_value_type*>(view.data());
}

/// rocSPARSE's descriptor of a matrix, which borrows the arrays.
template <class Matrix>
rocsparse_spmat_descr describe(const Matrix& A) {
  rocsparse_spmat_descr made = nullptr;
  check(rocsparse_create_csr_descr(
            &made, A.rows(), A.columns(), static_cast<std::int64_t>(A.nonzeros()),
            mutable_data(A.row_ptr()), mutable_data(A.col_idx()), mutable_data(A.values()),
            index_type<typename Matrix::offset_type>(), index_type<Index>(),
            rocsparse_index_base_zero, data_type<typename Matrix::scalar_type>()),
        "rocsparse_create_csr_descr");
  return made;
}

/// Workspace of the library, kept from its analysis to the last apply.
class Buffer {
 public:
  void allocate(const Exec& exec, std::size_t size) {
    memory_ = decltype(memory_)(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "heddle::bench::rocsparse_buffer"),
        std::max<std::size_t>(size, 1));
  }
  char* data() const { return memory_.data(); }
  std::size_t size() const { return memory_.size(); }

 private:
  Kokkos::View<char*, Space> memory_;
};

}  // namespace heddle::bench::rocsparse
