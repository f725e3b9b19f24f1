// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cpu_executor.hpp"
#include "gpu_executor.hpp"

namespace heddle::detail::sptrsv {

template <ExecutionSpace Exec>
struct ExecutorOf {  ///< a device whose teams may not wait
  template <class Matrix, Scalar V, Scalar Acc>
  using type = RowsExecutor<Exec, Matrix, V, Acc>;
};
template <ExecutionSpace Exec>
  requires order::on_threads<Exec>
struct ExecutorOf<Exec> {
  template <class Matrix, Scalar V, Scalar Acc>
  using type = CpuExecutor<Exec, Matrix, V, Acc>;
};
template <ExecutionSpace Exec>
  requires(backends::has_lanes<Exec> && backends::waits_make_progress<Exec>)
struct ExecutorOf<Exec> {
  template <class Matrix, Scalar V, Scalar Acc>
  using type = GpuExecutor<Exec, Matrix, V, Acc>;
};

/// See core.hpp.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor : public ExecutorOf<Exec>::template type<Matrix, V, Acc> {
  using Base = typename ExecutorOf<Exec>::template type<Matrix, V, Acc>;

 public:
  using Base::Base;
};

}  // namespace heddle::detail::sptrsv
