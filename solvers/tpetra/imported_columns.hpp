// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Import.hpp>

#include "split_matrix.hpp"

namespace heddle::detail::tpetra {

/// How the columns of a distributed matrix find their entries of x, given the matrix's importer:
/// from vectors on its source map to those on its target map, the column map.
template <class LO, class GO, class Node>
struct ImportedColumns {
  using Map = Tpetra::Map<LO, GO, Node>;
  using Import = Tpetra::Import<LO, GO, Node>;
  using Places = Kokkos::View<LO*, typename Node::memory_space>;

  /// For split_columns: one a column.
  Places places;
  LO own = 0, imported = 0;
  /// Whether a process of the communicator imports any.
  bool any_imported = false;
  /// Whether a split is predicted to pay. It saves a copy of the own entries of x, 16 bytes each;
  /// and it costs, for each imported one, 24 bytes to unpack it, which Tpetra does only where the
  /// vector holds nothing else, and about 16 of y, read and written again.
  bool split_pays = false;

  explicit ImportedColumns(const Import& importer) {
    const Map& x_map = *importer.getSourceMap();
    const Map& column_map = *importer.getTargetMap();
    const auto from = importer.getPermuteFromLIDs();
    const auto to = importer.getPermuteToLIDs();
    const auto remote = importer.getRemoteLIDs();
    own = static_cast<LO>(x_map.getLocalNumElements());
    imported = static_cast<LO>(remote.size());

    places = Places(Kokkos::view_alloc(Kokkos::WithoutInitializing, "heddle::tpetra::places"),
                    column_map.getLocalNumElements());
    const auto host = Kokkos::create_mirror_view(places);
    const LO same = static_cast<LO>(importer.getNumSameIDs());
    for (LO j = 0; j < same; ++j) host(j) = j;
    for (Teuchos::Ordinal k = 0; k < to.size(); ++k) host(to[k]) = from[k];
    for (LO k = 0; k < imported; ++k) host(remote[k]) = imported_place(k);
    Kokkos::deep_copy(places, host);
  }

  /// Decides what all processes do. Collective.
  void decide(const Teuchos::Comm<int>& comm) {
    const double mine[] = {static_cast<double>(own), static_cast<double>(imported)};
    double all[] = {0, 0};
    Teuchos::reduceAll(comm, Teuchos::REDUCE_SUM, 2, mine, all);
    any_imported = all[1] > 0;
    split_pays = 40 * all[1] < 16 * all[0];
  }

  /// Brings the imported entries of x, and nothing else, in the order of arrival. Collective.
  static Teuchos::RCP<const Import> alone(const Import& importer) {
    const Map& column_map = *importer.getTargetMap();
    const auto remote = importer.getRemoteLIDs();
    Teuchos::Array<GO> elements(remote.size());
    for (Teuchos::Ordinal k = 0; k < remote.size(); ++k) {
      elements[k] = column_map.getGlobalElement(remote[k]);
    }
    const auto target =
        Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), elements(),
                             column_map.getIndexBase(), column_map.getComm()));
    return importer.createRemoteOnlyImport(target);
  }
};

}  // namespace heddle::detail::tpetra
