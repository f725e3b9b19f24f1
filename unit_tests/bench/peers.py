# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What peers.py counts of made-up results, and what scipy and PETSc come to on small systems, where they are installed:
peers.py FOLDER_OF_REPORT."""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

REPORT = sys.argv.pop(1)
sys.path.insert(0, REPORT)
import choice  # noqa: E402
import keep  # noqa: E402
import peers  # noqa: E402

SETTINGS = {"tolerance": 1e-8, "max_seconds": 60, "repetitions": 2, "budget_seconds": 0.1}
SOLVERS = [name for name, module in (("petsc", "petsc4py"), ("scipy", "scipy.sparse")) if not subprocess.run(
    [sys.executable, "-c", "import " + module], env=peers.environment(), stderr=subprocess.DEVNULL).returncode]


class Peers(unittest.TestCase):
    def setUp(self):
        self.enterContext(contextlib.chdir(self.enterContext(tempfile.TemporaryDirectory())))

    def auto(self, names, not_solved=(), **settings):
        """A result of heddle-bench, in which each system takes 2 ms."""
        with open("auto.csv", "w") as file:
            print("# " + json.dumps({"settings": SETTINGS | settings}), file=file)
            print("matrix,kind,name,chosen,verdict,scheme,note,time_us,setup_us", file=file)
            for name in names:
                ended = "unsupported,,,," if name in not_solved else "ok,cg/jacobi,,1500,500"
                print(f"{name},matrix,,,,,,,\n{name},scheme,auto,,{ended}\n{name},baseline,other,,ok,,,1,1", file=file)

    def run_peers(self, *words):
        sys.argv = ["peers.py", "auto.csv", ".", "peers.csv", *words]
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            peers.main()
        return out.getvalue()

    def test_counts(self):
        self.auto(["a", "b", "c", "d"], not_solved=["c", "d"])
        results = iter([{"verdict": "ok", "note": "", "time_us": "1000"}, {"verdict": "ok", "note": "", "time_us": "3000"},
                        {"verdict": "wrong", "note": "residual 3.00e-06; converged_rtol after 9", "time_us": "10"},
                        {"verdict": "ok", "note": "", "time_us": "5000"}, {"verdict": "unsupported", "note": "out of time"},
                        {"verdict": "ok", "note": "", "time_us": "7e6"}])
        was = peers.measure
        self.addCleanup(setattr, peers, "measure", was)
        peers.measure = lambda *_: next(results, {"verdict": "unsupported", "note": "singular"})
        out = self.run_peers()
        for line in ("| a | cg/jacobi | 2 | 1 | 3 | petsc |", "| b | cg/jacobi | 2 | residual 3.00e-06 | 5 | Heddle |",
                     "| c | not solved | - | out of time | 7000 | scipy |", "| d | not solved | - | singular | singular | nobody |",
                     "- solved, of 4: Heddle 2, petsc 1, scipy 3", "- fastest, of 4: Heddle 1, petsc 1, scipy 1, nobody 1",
                     "- converged as PETSc says, but not by b - A x: b"):
            self.assertIn(line + "\n", out)
        # choice.py reads the file too; what it has is not measured again, and not put beside other settings.
        self.assertEqual(choice.read(["auto.csv", "peers.csv"])[0].peers, {"other": 2e-6, "petsc": 1e-3, "scipy": 3e-3})
        # keep.py puts what it has into a run of heddle-bench.
        run = {"matrices": [{"name": name, "contestants": []} for name in "abcd"]}
        keep.add_peers(run, "peers.csv")
        systems = choice.systems_of(choice.rows_of_run(run))
        self.assertEqual([one.peers for one in systems], [{"petsc": 1e-3, "scipy": 3e-3}, {"scipy": 5e-3}, {"scipy": 7.0}, {}])
        del run["matrices"][3]
        with self.assertRaisesRegex(SystemExit, "has d, which the run has not"):
            keep.add_peers(run, "peers.csv")
        peers.measure = was
        self.assertEqual(self.run_peers(), out)
        with self.assertRaisesRegex(SystemExit, "other settings"):
            self.run_peers("--max-gigabytes", "5")

    def write(self, name, row_ptr, col_idx, values, b):
        """Files as heddle-bench writes them, of a real matrix in PETSc's binary form."""
        import struct

        def matrix(path, columns, row_ptr, col_idx, values):
            rows = len(row_ptr) - 1
            whole = [1211216, rows, columns, len(values), *(row_ptr[i + 1] - row_ptr[i] for i in range(rows)), *col_idx]
            with open(path, "wb") as file:
                file.write(struct.pack(f">{len(whole)}i{len(values)}d", *whole, *values))
        n = len(b)
        matrix(name + ".petsc", n, row_ptr, col_idx, values)
        matrix(name + ".b.petsc", 1, range(n + 1), [0] * n, b)

    def write_grid(self, name, n):
        """Poisson's equation on n x n points; with b = 1."""
        row_ptr, col_idx, values = [0], [], []
        for i in range(n):
            for j in range(n):
                row = {i * n + j: 4.0} | {k * n + m: -1.0 for k, m in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))
                                          if 0 <= k < n and 0 <= m < n}
                col_idx += sorted(row)
                values += [row[column] for column in sorted(row)]
                row_ptr.append(len(col_idx))
        self.write(name, row_ptr, col_idx, values, [1.0] * n**2)

    @unittest.skipUnless(SOLVERS, "neither scipy nor petsc4py is here")
    def test_measures(self):
        self.auto(["grid", "singular"])
        self.write_grid("grid", 20)
        self.write("singular", [0, 2, 4], [0, 1, 0, 1], [1.0, 1.0, 1.0, 1.0], [1.0, 2.0])
        self.run_peers("--solver", *SOLVERS)
        settings = peers.settings_of("peers.csv")
        self.assertEqual((settings["gigabytes"], settings["petsc"]), (8, ""))
        rows = {(row["matrix"], row["name"]): row for row in peers.rows_in("peers.csv", settings)}
        self.assertEqual(len(rows), 2 * len(SOLVERS))
        for name in SOLVERS:
            row = rows["grid", name]
            self.assertEqual(row["verdict"], "ok", row)
            self.assertGreater(float(row["time_us"]), 0)
            self.assertRegex(row["note"], r"^residual \d\.\d\de-(08|09|1\d)")
            self.assertNotEqual(rows["singular", name]["verdict"], "ok", rows["singular", name])
        if "petsc" in SOLVERS:
            self.assertEqual(rows["grid", "petsc"]["scheme"], "gmres/ilu")

    @unittest.skipUnless("petsc" in SOLVERS, "petsc4py is not here")
    def test_options_of_petsc_and_its_own_convergence(self):
        self.auto(["grid"])
        self.write_grid("grid", 20)
        out = self.run_peers("--solver", "petsc", "--petsc", "-ksp_type cg -pc_type jacobi -ksp_rtol 0.1")
        self.assertIn("not by b - A x: grid", out)
        with open("peers.csv") as file:
            self.assertIn("grid,baseline,petsc,wrong,cg/jacobi,residual ", file.read())

    @unittest.skipUnless("scipy" in SOLVERS, "scipy is not here")
    def test_limits(self):
        # No machine factors 40000 rows within a millisecond, or within 1 MB more than nothing.
        self.write_grid("grid", 200)
        self.auto(["grid"], max_seconds=1e-3)
        self.assertIn("| out of time | Heddle |", self.run_peers("--solver", "scipy"))
        os.remove("peers.csv")
        self.auto(["grid"])
        self.assertIn("| more than 0.001 GB | Heddle |", self.run_peers("--solver", "scipy", "--max-gigabytes", "0.001"))

    @unittest.skipUnless("scipy" in SOLVERS, "scipy is not here")
    def test_wrong_files(self):
        self.auto(["none"])
        with self.assertRaisesRegex(SystemExit, "did not begin"):
            self.run_peers("--solver", "scipy")


if __name__ == "__main__":
    unittest.main()
