// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps of Gauss-Seidel against those of the host.
#pragma once

#include <string>

#include "gauss_seidel.hpp"

namespace heddle::test {

/// The error of sweeps of a plan over the columns of b and x, one vector or several on the
/// host, and with the residual on request; "" if there is none. 0 sweeps are one sweep from zero.
template <class Exec, class Plan, class Operator, class B>
std::string wrong_sweeps(const Exec& exec, Plan& plan, const Operator& a,
                         const GaussSeidelOptions& options, const B& host_b, const B& host_x,
                         int sweeps, bool wants_residual, double tolerance) {
  using S = typename B::non_const_value_type;
  using Space = typename Exec::memory_space;
  const auto b = copy_to<Space>(host_b), x = copy_to<Space>(host_x), r = copy_to<Space>(host_x);
  fill_with_poison(r);
  if (sweeps == 0) fill_with_poison(x);
  if (sweeps == 0 && wants_residual) plan.apply(exec, b, x, r);
  if (sweeps == 0 && !wants_residual) plan.apply(exec, b, x);
  if (sweeps > 0 && wants_residual) plan.relax(exec, b, x, sweeps, r);
  if (sweeps > 0 && !wants_residual) plan.relax(exec, b, x, sweeps);
  exec.fence("heddle::test::swept");
  const auto got_x = to_host(x), got_r = to_host(r);
  const auto column = [](const auto& of, std::size_t v) {
    if constexpr (B::rank() == 1) {
      return of;
    } else {
      return Kokkos::subview(of, Kokkos::ALL, v);
    }
  };
  const SequentialSweeps<S> program(exec, a, options);
  const std::size_t count = B::rank() == 1 ? 1 : host_b.extent(1);
  for (std::size_t v = 0; v < count; ++v) {
    const HostVector<S> of_b("heddle::test::b", host_b.extent(0)),
        of_x("heddle::test::x", host_b.extent(0));
    Kokkos::deep_copy(of_b, column(host_b, v));
    if (sweeps > 0) Kokkos::deep_copy(of_x, column(host_x, v));
    program.run(of_b, of_x, std::max(1, sweeps));
    const double off = difference(column(got_x, v), of_x.data());
    if (!(off < tolerance)) return "x is off by " + std::to_string(off);
    if (!wants_residual) continue;
    const double left = difference(column(got_r, v), program.residual(of_b, of_x));
    if (!(left < tolerance)) return "the residual is off by " + std::to_string(left);
  }
  return "";
}

}  // namespace heddle::test
