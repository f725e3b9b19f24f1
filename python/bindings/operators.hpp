// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/cg.hpp>

#include "preconditioner.hpp"
#include "spmv.hpp"

namespace heddle::python {

/// A function f(x, y) of Python, which writes to y, as an operator or a preconditioner. x is a
/// copy, so that it may be kept; y is the solver's own memory.
template <class S>
struct Function {
  nb::handle function;
  std::int64_t size;

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    exec.fence("heddle::python::function");
    const nb::gil_scoped_acquire gil;
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

/// work(preconditioner) with what M is: a plan, a function f(x, y), or None.
template <class S, class O, class Work>
auto with_preconditioner(nb::handle M, std::int64_t size, const Work& work) {
  Preconditioner<S, O>* plan = nullptr;
  if (M.is_none()) return work(NoPreconditioner());
  if (nb::try_cast(M, plan)) return work(AnyPreconditioner<S, O>{plan});
  return work(Function<S>{M, size});
}

/// work(operator) with what A is: a product or a function f(x, y).
template <class S, class O, class Work>
auto with_operator(nb::handle A, std::int64_t size, const Work& work) {
  if (Product<S, O>* product = nullptr; nb::try_cast(A, product)) {
    return work(with_rows(product->plan(), product->matrix));
  }
  return work(Function<S>{A, size});
}

}  // namespace heddle::python
