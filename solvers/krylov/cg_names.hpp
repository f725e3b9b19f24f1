// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <optional>

#include "../../core/error.hpp"
#include "../../core/scheme.hpp"

/// The schemes of conjugate gradients by name, and what those in one launch ask of an operator.
namespace heddle::detail::krylov {

// Parsed once, not at every solve.
inline const Scheme& cg_launches() {
  static const Scheme scheme("cg/launches");
  return scheme;
}
inline const Scheme& cg_one_team() {
  static const Scheme scheme("cg/one-team");
  return scheme;
}
inline const Scheme& cg_one_cluster() {
  static const Scheme scheme("cg/one-cluster");
  return scheme;
}
inline const Scheme& cg_all_teams() {
  static const Scheme scheme("cg/all-teams");
  return scheme;
}

/// Throws Error for any other scheme.
inline void check_cg_scheme(const std::optional<Scheme>& scheme) {
  if (!scheme || *scheme == cg_launches() || *scheme == cg_one_team() ||
      *scheme == cg_one_cluster() || *scheme == cg_all_teams()) {
    return;
  }
  throw Error("options.scheme is " + scheme->to_string(),
              "conjugate gradients have " + cg_launches().to_string() + ", " +
                  cg_one_team().to_string() + ", " + cg_one_cluster().to_string() + " and " +
                  cg_all_teams().to_string());
}

/// An operator whose rows a kernel may compute itself: csr() gives a CsrMatrix, or nothing.
template <class A>
concept HasRows = requires(const A& a) {
  { a.csr().has_value() } -> std::convertible_to<bool>;
};

}  // namespace heddle::detail::krylov
