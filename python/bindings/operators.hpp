// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/cg.hpp>

#include "preconditioner.hpp"
#include "spmv.hpp"

namespace heddle::python {

/// A Python function f(x, y), which writes y, as an operator or a preconditioner. x is a copy, so
/// that it may be kept; y is the solver's own memory.
template <class S>
struct Function {
  nb::handle function;
  std::int64_t size;

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    exec.fence("heddle::python::function");
    const IntoPython python;
    function(nb::cast(array_of(const_cast<S*>(x.data()), x.extent(0)), nb::rv_policy::copy),
             nb::cast(array_of(y.data(), y.extent(0)), nb::rv_policy::reference));
  }
  std::int64_t rows() const { return size; }
  std::int64_t columns() const { return size; }

 private:
  using Vector =
      nb::ndarray<std::conditional_t<on_host, nb::numpy, nb::cupy>, S, nb::ndim<1>, Device>;

  static Vector array_of(S* data, std::size_t rows) {
    const int device = on_host ? 0 : backends::current_device<Exec>();
    return Vector(data, {rows}, nb::handle(), {}, nb::dtype<S>(), Device::value, device);
  }
};

/// An operator given by Python: a plan, a function f(x, y), or None. Made with the GIL; the plan is
/// read in turn.
template <class P>
struct Given {
  nb::handle object;
  P* plan = nullptr;

  explicit Given(nb::handle of) : object(of) {
    if (!of.is_none()) nb::try_cast(of, plan);
  }
  bool is_small() const { return plan != nullptr ? plan->small : object.is_none(); }
};
template <class S, class O>
using GivenPreconditioner = Given<Preconditioner<S, O>>;
template <class S, class O>
struct GivenOperator : Given<Product<S, O>> {
  using Given<Product<S, O>>::Given;
  KeptMatrix<S, O> matrix;  // released with the GIL and not in turn, since Python code may run then
};

/// Calls work(preconditioner) with the type that M is.
template <class S, class O, class Work>
auto with_preconditioner(const GivenPreconditioner<S, O>& M, std::int64_t size, const Work& work) {
  if (M.object.is_none()) return work(NoPreconditioner());
  if (M.plan != nullptr) return work(AnyPreconditioner<S, O>{M.plan});
  return work(Function<S>{M.object, size});
}

/// Calls work(operator) with the type that A is.
template <class S, class O, class Work>
auto with_operator(GivenOperator<S, O>& A, std::int64_t size, const Work& work) {
  if (A.plan != nullptr) {
    A.matrix = A.plan->matrix;
    auto& plan = A.plan->plan();
    return work(A.plan->complete ? with_rows(plan, *A.matrix)
                                 : decltype(with_rows(plan, *A.matrix))(plan));
  }
  return work(Function<S>{A.object, size});
}

}  // namespace heddle::python
