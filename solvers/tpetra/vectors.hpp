// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_BLAS_types.hpp>
#include <Tpetra_MultiVector.hpp>

#include "../../core/multivector.hpp"
#include "../../core/types.hpp"

namespace heddle::detail::tpetra {

inline Op op_of(Teuchos::ETransp mode) {
  if (mode == Teuchos::NO_TRANS) return Op::none;
  return mode == Teuchos::TRANS ? Op::transpose : Op::conjugate_transpose;
}

/// Vectors of constant stride, for a plan. Tpetra then counts their memory on the device as the
/// current one.
template <class S, class LO, class GO, class Node>
auto to_read(const Tpetra::MultiVector<S, LO, GO, Node>& x) {
  using Value = typename Tpetra::MultiVector<S, LO, GO, Node>::impl_scalar_type;
  auto vectors = multivector_of<const Value>(x.getLocalViewDevice(Tpetra::Access::ReadOnly));
  vectors.count = static_cast<int>(x.getNumVectors());  // a View without rows may not know it
  return vectors;
}
template <class S, class LO, class GO, class Node>
auto to_write(Tpetra::MultiVector<S, LO, GO, Node>& y) {
  using Value = typename Tpetra::MultiVector<S, LO, GO, Node>::impl_scalar_type;
  auto vectors = multivector_of<Value>(y.getLocalViewDevice(Tpetra::Access::ReadWrite));
  vectors.count = static_cast<int>(y.getNumVectors());
  return vectors;
}

/// y = beta y, without reading it if beta is 0.
template <class S, class LO, class GO, class Node>
void scale(S beta, Tpetra::MultiVector<S, LO, GO, Node>& y) {
  if (beta == S(0)) {
    y.putScalar(S(0));
  } else if (beta != S(1)) {
    y.scale(beta);
  }
}

/// Vectors on one map, kept from one apply to the next: allocated when their number changes.
template <class Vectors>
class WorkVectors {
 public:
  using Map = Teuchos::RCP<const typename Vectors::map_type>;

  bool fits(const Map& map, std::size_t count) const {
    return !vectors_.is_null() && vectors_->getNumVectors() == count && vectors_->getMap() == map;
  }
  Vectors& get(const Map& map, std::size_t count) {
    if (!fits(map, count)) vectors_ = Teuchos::rcp(new Vectors(map, count));
    return *vectors_;
  }
  void clear() { vectors_ = Teuchos::null; }

 private:
  Teuchos::RCP<Vectors> vectors_;
};

}  // namespace heddle::detail::tpetra
