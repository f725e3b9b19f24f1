# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which matrices are borrowed, and what is said of the others."""
import gc
import gzip
import io
import os
import weakref

import heddle
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import random_matrix
from heddle._types import known, scalars


def test_borrows_the_arrays(A):
    matrix = heddle.Matrix(A)
    assert (matrix.shape, matrix.nnz, matrix.converted) == (A.shape, A.nnz, False)
    assert np.shares_memory(matrix.values, A.data)
    assert np.shares_memory(matrix.col_idx, A.indices)
    assert np.shares_memory(matrix.row_ptr, A.indptr)
    back = matrix.to_scipy()
    assert np.shares_memory(back.data, A.data) and (back != A).nnz == 0


def test_reads_values_in_place(A):
    plan = heddle.SpmvPlan(A, values_in_place=True)
    x = np.ones(A.shape[1])
    A.data *= 2  # the same arrays: the plan must see it
    plan.update_values()
    np.testing.assert_allclose(plan @ x, A @ x)


def test_three_arrays():
    A = random_matrix(20, 30)
    matrix = heddle.Matrix((A.data, A.indices, A.indptr), shape=A.shape)
    x = np.arange(30.0)
    np.testing.assert_allclose(heddle.SpmvPlan(matrix) @ x, A @ x)


def test_read_only_arrays_will_do(A):
    for array in (A.data, A.indices, A.indptr):
        array.flags.writeable = False
    x = np.ones(A.shape[1])
    np.testing.assert_allclose(heddle.SpmvPlan(A) @ x, A @ x)


@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "lil", "dia"])
def test_other_forms_are_converted_and_say_so(A, form):
    with pytest.warns(heddle.ConversionWarning, match=f"A is in {form.upper()} form") as told:
        matrix = heddle.Matrix(A.asformat(form))
    assert matrix.converted and told[0].filename == __file__
    assert (abs(matrix.to_scipy() - A) > 0).nnz == 0


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.complex128, ">f8"])
def test_values_of_another_dtype(A, dtype):
    values = A.data.astype(dtype)
    arrays = (values, A.indices, A.indptr)
    if values.dtype in scalars:
        assert heddle.Matrix(arrays, shape=A.shape).values is values
    elif values.dtype.kind == "c":
        for copy in (False, True):
            with pytest.raises(TypeError, match=f"values holds complex128; give {known} to this build"):
                heddle.Matrix(arrays, shape=A.shape, copy=copy)
    else:
        with pytest.warns(heddle.ConversionWarning, match="values holds .*, and heddle needs float64"):
            matrices = heddle.Matrix(arrays, shape=A.shape), heddle.Matrix(arrays, shape=A.shape, copy=True)
        for matrix in matrices:
            np.testing.assert_array_equal(matrix.values, values.astype(float))


def test_indices_of_64_bits_are_narrowed(A):
    wide = (A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64))
    with pytest.warns(heddle.ConversionWarning, match="col_idx holds int64, and heddle needs int32; row_ptr holds int64"):
        matrix = heddle.Matrix(wide, shape=A.shape)
    assert matrix.converted and matrix.col_idx.dtype == matrix.row_ptr.dtype == np.int32
    assert matrix.values is A.data  # only what must be copied is copied
    copied = heddle.Matrix(wide, shape=A.shape, copy=True)
    assert copied.converted and not np.shares_memory(copied.values, A.data)
    wide[1][0] = 2**40
    for copy in (False, True):
        with pytest.raises(heddle.Error, match="col_idx holds numbers beyond int32"):
            heddle.Matrix(wide, shape=A.shape, copy=copy)


@pytest.mark.filterwarnings("default")
def test_what_scipys_own_advice_makes_is_taken(rng):
    i = np.arange(30)  # int64, as rng.integers and np.repeat return
    made = (sp.csr_array((np.ones(30), (i, i)), shape=(30, 30)), sp.coo_array((np.ones(30), (i, i)), shape=(30, 30)),
            sp.coo_array((np.ones(30), (i, i)), shape=(30, 30)).tocsr())
    b = rng.random(30)
    for A in made:
        with pytest.warns(heddle.ConversionWarning, match="holds int64, and heddle needs int32|in COO form") as told:
            for solve in (heddle.cg, heddle.gmres, heddle.bicgstab):
                x, info = solve(A, b, M=heddle.IcPlan(A))
                np.testing.assert_allclose(x, b)
            np.testing.assert_allclose(heddle.SpmvPlan(A) @ b, b)
        assert {one.filename for one in told} == {__file__}  # at the caller's line, so that each place warns once


def test_arrays_that_do_not_lie_side_by_side(A):
    strided = np.repeat(A.data, 2)[::2]
    with pytest.warns(heddle.ConversionWarning, match="values is not contiguous"):
        matrices = [heddle.Matrix((strided, A.indices, A.indptr), shape=A.shape, copy=copy) for copy in (False, True)]
    for matrix in matrices:
        np.testing.assert_array_equal(matrix.values, A.data)
    with pytest.raises(heddle.Error, match="values has 2 dimensions"):
        heddle.Matrix((A.data.reshape(1, -1), A.indices, A.indptr), shape=A.shape)


def test_what_is_no_matrix(A):
    with pytest.raises(TypeError, match="a ndarray is no sparse matrix; give one of scipy.sparse"):
        heddle.Matrix(A.toarray())
    with pytest.raises(heddle.Error, match=r"A has the shape \(3,\); give a matrix, as A.reshape\(1, -1\) is"):
        heddle.Matrix(sp.coo_array(np.ones(3)))
    with pytest.raises(heddle.Error, match=r"A has the shape \(3,\)"):
        heddle.cg(sp.csr_array(np.ones(3)), np.ones(3))
    with pytest.raises(TypeError, match="give Matrix"):
        heddle.Matrix((A.data, A.indices, A.indptr))
    with pytest.raises(TypeError, match="values is a list"):
        heddle.Matrix((list(A.data), A.indices, A.indptr), shape=A.shape)
    with pytest.raises(heddle.Error, match="leave it out"):
        heddle.Matrix(A, shape=(1, 1))
    with pytest.raises(heddle.Error, match="row_ptr has 901 entries for 899 rows"):
        heddle.Matrix((A.data, A.indices, A.indptr), shape=(899, 900))
    with pytest.raises(heddle.Error, match="one column and one value for each nonzero"):
        heddle.Matrix((A.data[:-1], A.indices, A.indptr), shape=A.shape)


def test_a_plan_names_the_row_of_a_wrong_index(A):
    A.indices[A.indptr[5]] = 1000
    with pytest.raises(heddle.Error, match="row 5"):
        heddle.SpmvPlan(A)


def test_a_plan_keeps_the_arrays_alive(rng):
    A = random_matrix(300, 300)
    reference = A.copy()
    values = weakref.ref(A.data)
    plan = heddle.SpmvPlan(heddle.Matrix(A))
    del A
    gc.collect()
    assert values() is not None
    junk = [np.full(reference.nnz, np.nan) for _ in range(20)]  # overwrites freed memory
    x = rng.random(300)
    np.testing.assert_allclose(plan @ x, reference @ x)
    transposed = plan.T
    del plan, junk
    gc.collect()
    np.testing.assert_allclose(transposed @ x, reference.T @ x)
    del transposed
    gc.collect()
    assert values() is None


def test_new_values_let_the_old_arrays_go(rng):
    A = random_matrix(300, 300)
    plan = heddle.SpmvPlan(A)
    values = weakref.ref(A.data)
    other = sp.csr_array((rng.random(A.nnz), A.indices, A.indptr), shape=A.shape)
    plan.update_values(other)
    del A
    gc.collect()
    assert values() is None
    x = rng.random(300)
    np.testing.assert_allclose(plan @ x, other @ x)


@pytest.mark.parametrize("name", ["m.mtx", "m.mtx.gz", "m.mtx.xz"])
def test_matrix_market(tmp_path, name):
    A = random_matrix(40, 25)
    A.sort_indices()
    heddle.write_matrix_market(tmp_path / name, A, comment="of a test")
    back = heddle.read_matrix_market(tmp_path / name)
    assert back.shape == A.shape
    for one, other in ((back.values, A.data), (back.col_idx, A.indices), (back.row_ptr, A.indptr)):
        np.testing.assert_array_equal(one, other)
    if name == "m.mtx":
        from scipy.io import mmread
        np.testing.assert_array_equal(mmread(tmp_path / name).toarray(), A.toarray())


def test_symmetric_files(tmp_path, A):
    heddle.write_matrix_market(tmp_path / "s.mtx", A, symmetry="symmetric")
    assert "symmetric" in (tmp_path / "s.mtx").read_text().splitlines()[0]
    assert (heddle.read_matrix_market(tmp_path / "s.mtx").to_scipy() != A).nnz == 0
    with pytest.raises(heddle.Error, match="only a complex matrix can be hermitian"):
        heddle.write_matrix_market(tmp_path / "h.mtx", A, symmetry="hermitian")
    with pytest.raises(heddle.Error, match="symmetry is 'odd'; give 'general'"):
        heddle.write_matrix_market(tmp_path / "s.mtx", A, symmetry="odd")
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n")
    with pytest.raises(heddle.Error, match=r"bad.mtx:3"):
        heddle.read_matrix_market(tmp_path / "bad.mtx")


def test_paths_and_file_objects(tmp_path, A):
    A.sort_indices()
    name = tmp_path / "m.mtx"
    heddle.write_matrix_market(os.fsencode(name), A)
    with gzip.open(tmp_path / "m.gz", "wb") as file:
        heddle.write_matrix_market(file, A)
    strange = os.fsencode(tmp_path) + b"/\xff.mtx"
    heddle.write_matrix_market(strange, A)
    for path in (os.fsencode(name), str(name), strange, os.fsdecode(strange), io.StringIO(name.read_text()), open(name, "rb"),
                 gzip.open(tmp_path / "m.gz")):
        back = heddle.read_matrix_market(path)
        np.testing.assert_array_equal(back.values, A.data)
        getattr(path, "close", lambda: None)()
    for call in (lambda: heddle.read_matrix_market(3.0), lambda: heddle.write_matrix_market(None, A)):
        with pytest.raises(TypeError, match="path is a .*; give a path, or a file object"):
            call()
    with pytest.raises(heddle.Error, match=r"file:3"):
        heddle.read_matrix_market(io.StringIO("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n"))
    with pytest.raises(heddle.Error, match="there-is-none"):
        heddle.read_matrix_market(tmp_path / "there-is-none")


def test_a_header_that_announces_more_than_the_file_holds(tmp_path, A):
    header = "%%MatrixMarket matrix coordinate real general\n"
    (tmp_path / "rows.mtx").write_text(header + "200000000 1 0\n")
    for path in (tmp_path / "rows.mtx", io.StringIO((tmp_path / "rows.mtx").read_text())):
        with pytest.raises(heddle.Error, match=r"needs more than .* bytes; raise max_bytes="):
            heddle.read_matrix_market(path)
    heddle.write_matrix_market(tmp_path / "m.mtx", A)
    with pytest.raises(heddle.Error, match="needs more than 1000 bytes"):
        heddle.read_matrix_market(tmp_path / "m.mtx", max_bytes=1e3)
    assert heddle.read_matrix_market(tmp_path / "m.mtx", max_bytes=10**9).nnz == A.nnz
    for wrong in (-1, 0, "1"):
        with pytest.raises((heddle.Error, TypeError), match="max_bytes is"):
            heddle.read_matrix_market(tmp_path / "m.mtx", max_bytes=wrong)


def test_arrays_of_a_matrix_stay_its_own(A):
    matrix = heddle.Matrix(A)
    for name in ("values", "col_idx", "row_ptr"):
        with pytest.raises(AttributeError):
            setattr(matrix, name, A.data)
    assert repr(matrix) == f"<heddle.Matrix of 900 x 900, {A.nnz} entries of float64>"
