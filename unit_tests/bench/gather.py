# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What heddle-bench train keeps when it is stopped: gather.py FOLDER-OF-perf_tests/model, with a program in place of
heddle-bench that writes a result for each matrix."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

MODEL = sys.argv.pop(1)
# Counts its runs. At run STOP it stops its caller, with its result begun. It fails for a matrix named bad.
BENCH = r"""#!/bin/sh
if [ "$1" = list ]; then echo "$LIST"; exit; fi
runs=$(ls "$LOG" | wc -l)
echo "$*" >"$LOG/$runs"
for word; do
  [ "$before" != --json ] || path=$word
  case $word in bad*) bad=1 ;; esac
  before=$word
done
printf '{"half":' >"$path"
if [ "$runs" -eq "${STOP:--1}" ]; then kill -INT $PPID; exit 2; fi
if [ "$bad" ]; then echo "no such generator" >&2; exit 2; fi
echo "1}" >>"$path"
"""


class Gathering(unittest.TestCase):
    def setUp(self):
        self.at = tempfile.TemporaryDirectory()
        self.log, self.folder = (os.path.join(self.at.name, name) for name in ("log", "results"))
        os.mkdir(self.log)
        self.bench, self.set = (os.path.join(self.at.name, name) for name in ("bench", "set.txt"))
        with open(self.bench, "w") as file:
            file.write(BENCH)
        os.chmod(self.bench, 0o755)
        with open(self.set, "w") as file:
            file.write("# a set\n" + "".join(f"grid2d:{n}\n" for n in range(10, 16)))

    def tearDown(self):
        self.at.cleanup()

    def gather(self, *words, stop=None, minutes="100", of=("products",), listed=""):
        environment = {**os.environ, "LOG": self.log, "LIST": listed, **({"STOP": str(stop)} if stop is not None else {})}
        return subprocess.run(
            [sys.executable, os.path.join(MODEL, "gather.py"), "--bench", self.bench, "--minutes", minutes, "--folder",
             self.folder, "--set", self.set, "--gather-only", "--of", *of, *words],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def runs(self):
        return len(os.listdir(self.log))

    def results(self):
        whole = [name for name in os.listdir(self.folder) if name.endswith(".json")]
        for name in whole:
            with open(os.path.join(self.folder, name)) as file:
                json.load(file)
        return len(whole)

    def test_all_are_measured_once(self):
        done = self.gather()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.runs(), self.results()), (6, 6))
        self.assertIn("6 measured, 0 from before, of 6", done.stderr)
        self.assertIn("0 measured, 6 from before, of 6", self.gather().stderr)
        self.assertEqual(self.runs(), 6)

    def test_other_questions_are_other_results(self):
        self.gather()
        self.gather("--columns", "8")
        self.assertEqual((self.runs(), self.results()), (12, 12))

    def test_what_was_measured_stays_when_it_is_stopped(self):
        done = self.gather(stop=2)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the same command goes on from there", done.stderr)
        self.assertEqual(self.results(), 2)
        done = self.gather()
        self.assertIn("4 measured, 2 from before, of 6", done.stderr)
        self.assertEqual(self.results(), 6)

    def test_no_time_measures_nothing_and_takes_what_is_there(self):
        self.gather(stop=3)
        self.assertIn("0 measured, 3 from before, of 6", self.gather(minutes="0").stderr)

    def test_what_fails_is_told_and_leaves_nothing(self):
        with open(self.set, "a") as file:
            file.write("bad:1\n")
        done = self.gather()
        self.assertEqual(done.returncode, 0)
        self.assertIn("bad:1: heddle-bench ended with 2: no such generator", done.stderr)
        self.assertEqual(self.results(), 6)

    def test_products_and_triangles_come_in_turn(self):
        with open(self.set, "a") as file:
            file.write("rectangular:5,7,2\n")  # has no triangle
        done = self.gather(of=("products", "triangles"))
        self.assertIn("13 measured, 0 from before, of 13", done.stderr)
        asked = []
        for run in range(13):
            with open(os.path.join(self.log, str(run))) as file:
                asked.append(file.read().split()[:3:2])
        self.assertEqual(asked[:4], [["spmv", "grid2d:10"], ["sptrsv", "grid2d:10"], ["spmv", "grid2d:11"],
                                     ["sptrsv", "grid2d:11"]])
        self.assertEqual(asked[-1], ["spmv", "rectangular:5,7,2"])
        self.assertIn("6 from before, of 6", self.gather(of=("triangles",)).stderr)

    def test_lanes_of_blocks_are_measured_with_products_where_there_are_some(self):
        of_gpu = " csr/blocks,[rows=<1..65536>],[long=<n>],[lanes=1|2|4],[learned=yes|no],[transpose=atomics]"
        self.gather(of=("products", "triangles"), listed=of_gpu)
        for run, schemes in (("0", "--scheme all csr/blocks,lanes=1 csr/blocks,lanes=2 csr/blocks,lanes=4 --baseline"),
                             ("1", "--scheme all --baseline")):
            with open(os.path.join(self.log, run)) as file:
                self.assertIn(schemes, file.read())
        self.gather(of=("products",), listed=" csr/blocks,[rows=<1..65536>],[long=<n>],[simd=none|loads|gathers]")
        self.assertEqual(self.runs(), 18)  # another device: products run again

    def test_files_of_the_user_come_first(self):
        self.gather("--matrix", "/a/b.mtx")
        with open(os.path.join(self.log, "0")) as file:
            self.assertIn("--matrix /a/b.mtx", file.read())

    def test_no_such_set(self):
        self.set = "nothing"
        done = self.gather()
        self.assertEqual(done.returncode, 2)
        self.assertIn("no set of matrices nothing", done.stderr)


if __name__ == "__main__":
    unittest.main()
