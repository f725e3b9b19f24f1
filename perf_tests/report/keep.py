#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps runs of heddle-bench as CSV, the features of their matrices in matrices.csv beside them, and reads both.

usage: keep.py RUN.json... [-o FOLDER]             writes FOLDER/RUN.csv; by default perf_tests/results
       keep.py RUN.json --peers PEERS.csv          of solve --auto, with what peers.py measured on its systems
       keep.py --best RUN.json... -o RESULTS.json  of each contestant the run with the lowest median, in one file
       keep.py --check [RUN.csv...] [-o FOLDER]    fails unless every CSV there is as it would be written, and RUN.csv,
                                                   which heddle-bench wrote, has the same columns

--best is for machines that others slow down: its runs are of one commit on one machine over the same matrices, and what is not
a contestant comes from the first. read_run() gives what the JSON of heddle-bench holds, of a file of either kind; the layout of
CSV is described in perf_tests/results/README.md.
"""
import argparse
import csv
import io
import json
import os
import sys

import peers
from patterns import pack_pattern, unpack_pattern

TABLE = "matrices.csv"
MICROSECONDS = 1e6
# Columns of a contestant that are times: (column, key of the JSON, digits kept).
SAMPLED = [("time", "time_seconds", 6), ("setup", "setup_seconds", 6),
           ("queued", "queued_seconds", 4), ("allocation", "allocation_seconds", 4),
           ("update", "update_seconds", 4)]
REST = ("setup_rest", "setup_rest_seconds", 5)
COUNTS = ["bytes", "moved_bytes"]
COLUMNS = (["matrix", "kind", "name", "chosen", "verdict", "scheme", "note", "error_over_bound"] +
           ["time_us", "time_min_us", "time_max_us", "time_spread"] +
           [column + "_us" for column, _, _ in SAMPLED[1:] + [REST]] + COUNTS)
UNSTEADY = "unsteady"  # the last column, which older kept runs do not have
SHAPE = ["rows", "columns", "nonzeros", "min_row", "max_row", "variation", "empty_rows"]
TRIANGLE = ["levels", "diagonal_set", "overflows"]
LEVELS = ["mean_level_rows", "max_level_rows", "cv_level_rows", "mean_level_entries",
          "max_level_entries", "cv_level_entries", "dep_dist"]
FEATURES = (["matrix", "name", "source", "part"] + SHAPE + TRIANGLE + LEVELS +
            ["row_lengths", "pattern"])
BYTES = {"float": 4, "double": 8, "cfloat": 8, "cdouble": 16}


def number(value, digits):
    return "" if value is None else "%.*g" % (digits, value)


def microseconds(seconds, digits):
    """Without an exponent, so that a spreadsheet and a reader take it."""
    if seconds is None:
        return ""
    text = number(MICROSECONDS * seconds, digits)
    return "%.0f" % float(text) if "e+" in text else text


def parsed(text):
    """The integer or real number that a field holds, or None."""
    if text == "":
        return None
    return int(text) if text.lstrip("-").isdigit() else float(text)


def seconds(text):
    return None if text == "" else float(text) / MICROSECONDS


def part_of(run):
    """Which part of a matrix the run's contestants were given."""
    return run["settings"]["triangle"] if run["operation"] == "sptrsv" else "all"


def features_of(run, matrix):
    """The fields of matrices.csv but the first, as text."""
    shape, triangle = matrix["features"], matrix.get("triangle", {})
    levels = triangle.get("features", {})
    row = {"name": matrix["name"], "source": matrix["source"], "part": part_of(run),
           "row_lengths": " ".join(map(str, matrix.get("row_lengths", []))),
           "pattern": pack_pattern(matrix["pattern"]) if "pattern" in matrix else ""}
    row.update({key: number(shape[key], 12 if isinstance(shape[key], int) else 7) for key in SHAPE})
    row.update({key: number(triangle.get(key), 12) for key in TRIANGLE})
    row.update({key: number(levels.get(key), 7) for key in LEVELS})
    return row


class Matrices:
    """matrices.csv, by the first column."""

    def __init__(self, folder):
        self.path = os.path.join(folder, TABLE)
        self.rows = {}
        if os.path.exists(self.path):
            with open(self.path, newline="") as file:
                self.rows = {row["matrix"]: row for row in csv.DictReader(file)}

    def add(self, run, matrix):
        """The first column of that matrix's line, which is added unless it is there."""
        row = features_of(run, matrix)
        first = row["name"] if row["part"] == "all" else row["name"] + "/" + row["part"]
        key, number_of_name = first, 1
        while key in self.rows and not self.merge(self.rows[key], row):
            number_of_name += 1
            key = "%s#%d" % (first, number_of_name)
        if key not in self.rows:
            self.rows[key] = dict(row, matrix=key)
        return key

    @staticmethod
    def merge(kept, row):
        """Whether both tell of one matrix; then what one of them lacks is taken from the other."""
        alike = all(not kept[key] or not row[key] or kept[key] == row[key]
                    for key in FEATURES[3:])
        if alike:
            kept.update({key: row[key] for key in FEATURES[3:] if not kept[key]})
        return alike

    def text(self):
        return csv_text(FEATURES, sorted(self.rows.values(), key=lambda row: row["matrix"].lower()))

    def of(self, key, run):
        """The keys of the JSON of that matrix that tell its features."""
        if key not in self.rows:
            sys.exit("%s has no line of %s: keep.py RUN.json -o FOLDER writes it, and the run beside it"
                     % (os.path.normpath(self.path), key))
        row = self.rows[key]
        shape = {name: parsed(row[name]) for name in SHAPE}
        rows, nonzeros = shape["rows"], shape["nonzeros"]
        shape["mean_row"] = nonzeros / rows if rows else 0.0
        scalar, offset = BYTES[run["settings"]["scalar"]], run["settings"]["offset_bits"] // 8
        shape["csr_bytes"] = nonzeros * (scalar + 4) + (rows + 1) * offset
        matrix = {"name": row["name"], "source": row["source"], "features": shape}
        if row["row_lengths"]:
            matrix["row_lengths"] = [int(count) for count in row["row_lengths"].split()]
        if row["pattern"]:
            matrix["pattern"] = unpack_pattern(row["pattern"])
        if row["levels"]:
            matrix["triangle"] = triangle_of(row, shape)
        return matrix


def triangle_of(row, shape):
    triangle = {"entries": shape["nonzeros"], "levels": int(row["levels"]),
                "rows_per_level": shape["rows"] / max(1, int(row["levels"])),
                "diagonal_set": int(row["diagonal_set"]), "overflows": row["overflows"] == "1"}
    if row["dep_dist"]:
        triangle["features"] = {"rows": shape["rows"], "entries": shape["nonzeros"],
                                "mean_row": shape["mean_row"], "max_row": shape["max_row"],
                                "cv_row": shape["variation"], "levels": triangle["levels"]}
        triangle["features"].update({key: parsed(row[key]) for key in LEVELS})
    return triangle


def csv_text(columns, rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def timed(samples, row):
    if samples:
        row.update(time_us=microseconds(samples["median"], 6),
                   time_min_us=microseconds(samples.get("min"), 4),
                   time_max_us=microseconds(samples.get("max"), 4),
                   time_spread=number(samples.get("spread"), 3))
    return row


def matrix_line(matrix, key):
    """What was chosen and why, CSR's minimum of bytes, and the time of the reference operation."""
    steadiness = matrix.get("steadiness", {})
    row = {"matrix": key, "kind": "matrix", "name": matrix["chosen_scheme"],
           "note": matrix["choice_reason"], "moved_bytes": number(matrix["apply_bytes"], 15),
           "setup_us": microseconds(matrix["prepare_seconds"], 4)}
    return timed(steadiness.get("reference_seconds"), row)


def contestant_line(contestant, key):
    scheme = contestant.get("scheme") or ""
    row = {"matrix": key, "chosen": "1" if contestant["chosen"] else "",
           "scheme": "=" if scheme == contestant["name"] else scheme,
           "note": "=" if scheme and contestant["note"] == scheme else contestant["note"],
           "error_over_bound": number(contestant["error_over_bound"], 2)}
    row.update({name: contestant[name] for name in ("kind", "name", "verdict")})
    for column, name, digits in SAMPLED[1:]:
        samples = contestant.get(name)
        row[column + "_us"] = microseconds(samples["median"], digits) if samples else ""
    row["setup_rest_us"] = microseconds(contestant.get(REST[1]), REST[2])
    row.update({name: number(contestant.get(name), 15) for name in COUNTS})
    if "iterations" in contestant:
        row["iterations"] = contestant["iterations"]
    if UNSTEADY in contestant:
        row[UNSTEADY] = contestant[UNSTEADY]
    return timed(contestant["time_seconds"], row)


def columns_of(operation, unsteady=True):
    solves = operation in ("solve", "multigrid")
    return COLUMNS + (["iterations"] if solves else []) + ([UNSTEADY] if unsteady else [])


def run_text(run, matrices):
    """A run as CSV; the features of its matrices go to `matrices`."""
    header = {key: value for key, value in run.items() if key != "matrices"}
    limits = [m["steadiness"]["spread_limit"] for m in run["matrices"] if "steadiness" in m]
    if limits:
        header["spread_limit"] = limits[0]
    lines, notes = [], {}
    for matrix in run["matrices"]:
        key = matrices.add(run, matrix)
        lines.append(matrix_line(matrix, key))
        for contestant in matrix["contestants"]:
            line = contestant_line(contestant, key)
            name, note = line["name"], line["note"]
            if note and note == notes.get(name):
                line["note"] = "^"
            notes[name] = note
            lines.append(line)
    columns = columns_of(run["operation"], any(UNSTEADY in line for line in lines))
    return "# %s\n%s" % (json.dumps(header, separators=(",", ":")), csv_text(columns, lines))


def samples_of(row, column="time"):
    median = seconds(row[column + "_us"])
    if median is None or column != "time":
        return None if median is None else {"median": median}
    found = {"median": median, "min": seconds(row["time_min_us"]), "max": seconds(row["time_max_us"])}
    if row["time_spread"]:
        found["spread"] = float(row["time_spread"])
    return found


def contestant_of(row, levels, apply_bytes):
    contestant = {name: row[name] for name in ("name", "kind", "verdict", "note")}
    contestant.update(chosen=row["chosen"] == "1",
                      error_over_bound=parsed(row["error_over_bound"]))
    if row["scheme"]:
        contestant["scheme"] = row["name"] if row["scheme"] == "=" else row["scheme"]
        contestant["note"] = contestant["scheme"] if row["note"] == "=" else row["note"]
    contestant.update({name: samples_of(row, column) for column, name, _ in SAMPLED})
    if row["setup_rest_us"]:
        contestant[REST[1]] = seconds(row["setup_rest_us"])
    contestant.update({name: parsed(row[name]) for name in COUNTS})
    if row.get("iterations"):
        contestant["iterations"] = int(row["iterations"])
    if row.get(UNSTEADY):
        contestant[UNSTEADY] = row[UNSTEADY]
    time = contestant["time_seconds"]
    contestant["gbytes_per_second"] = apply_bytes / time["median"] / 1e9 if time else None
    if levels and time:
        contestant["level_seconds"] = time["median"] / levels
    return contestant


def read_csv(path):
    matrices = Matrices(os.path.dirname(os.path.abspath(path)))
    with open(path, newline="") as file:
        run = json.loads(file.readline().lstrip("# "))
        rows = list(csv.DictReader(file))
    limit = run.pop("spread_limit", None)
    run["matrices"], notes = [], {}
    for row in rows:
        if row["kind"] == "matrix":
            matrix = matrices.of(row["matrix"], run)
            matrix.update(chosen_scheme=row["name"], choice_reason=row["note"],
                          apply_bytes=parsed(row["moved_bytes"]),
                          prepare_seconds=seconds(row["setup_us"]), contestants=[])
            if limit is not None:
                matrix["steadiness"] = steadiness_of(row, limit)
            run["matrices"].append(matrix)
            continue
        matrix = run["matrices"][-1]
        if row["note"] == "^":
            row["note"] = notes[row["name"]]
        notes[row["name"]] = row["note"]
        matrix["contestants"].append(contestant_of(row, matrix.get("triangle", {}).get("levels"),
                                                   matrix["apply_bytes"]))
        if row["time_spread"] and float(row["time_spread"]) > limit:
            matrix["steadiness"]["unsteady_contestants"].append(row["name"])
    return run


def spread(samples):
    """Of the times of a contestant, or of the reference; None where the file does not tell."""
    return samples.get("spread") if samples else None


def largest_spread(contestant):
    return max(spread(contestant.get(key)) or 0 for key in ("time_seconds", "queued_seconds"))


def steadiness_of(row, limit):
    reference = samples_of(row)
    return {"spread_limit": limit, "reference_seconds": reference, "unsteady_contestants": [],
            "unsteady_machine": bool(reference) and reference.get("spread", 0) > limit}


def read_run(path):
    """What heddle-bench's JSON holds, of a file of either kind."""
    if path.endswith(".csv"):
        return read_csv(path)
    with open(path) as file:
        return json.load(file)


def best(paths):
    """The first run, with each contestant from the run in which its median was the lowest."""
    def median(contestant):
        time = contestant.get("time_seconds")
        return time["median"] if time else float("inf")

    runs = [read_run(path) for path in paths]
    first = runs[0]
    for path, run in zip(paths[1:], runs[1:]):
        for what in ("operation", "commit", "compiler", "machine"):
            if first.get(what) != run.get(what):
                sys.exit("keep.py: %s has another %s than the first run" % (path, what))
        if [m["name"] for m in first["matrices"]] != [m["name"] for m in run["matrices"]]:
            sys.exit("keep.py: %s has other matrices than the first run" % path)
        for matrix, other in zip(first["matrices"], run["matrices"]):
            rivals = {c["name"]: c for c in other["contestants"]}
            matrix["contestants"] = [min(c, rivals.get(c["name"], c), key=median) for c in matrix["contestants"]]
            if "steadiness" in matrix:
                limit = matrix["steadiness"]["spread_limit"]
                matrix["steadiness"]["unsteady_contestants"] = [
                    c["name"] for c in matrix["contestants"] if largest_spread(c) > limit]
    return first


def add_peers(run, path):
    """Adds what peers.py measured to the contestants of each matrix: a median, which has the set-up."""
    matrices = {matrix["name"]: matrix for matrix in run["matrices"]}
    for row in peers.rows_in(path, peers.settings_of(path)):
        if row["matrix"] not in matrices:
            sys.exit("keep.py: %s has %s, which the run has not" % (path, row["matrix"]))
        median = seconds(row["time_us"])
        matrices[row["matrix"]]["contestants"].append(
            {key: row[key] for key in ("name", "kind", "verdict", "scheme", "note")} |
            {"chosen": False, "error_over_bound": None, "setup_seconds": None, "time_seconds": median and {"median": median}})


def check(folder, written):
    """Reads what is kept and writes it again, in memory; of runs that heddle-bench wrote looks at the columns."""
    matrices, used, wrong = Matrices(folder), set(), []
    for path in written:
        with open(path) as file:
            operation = json.loads(file.readline().lstrip("# "))["operation"]
            if file.readline().strip().split(",") != columns_of(operation):
                wrong.append("%s has other columns than keep.py writes: bench/common/json.cpp" % path)
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".csv") or name == TABLE:
            continue
        path = os.path.join(folder, name)
        with open(path) as file:
            text = file.read()
        before = len(matrices.rows)
        again = run_text(read_csv(path), matrices)
        used.update(row["matrix"] for row in csv.DictReader(text.split("\n")[1:]))
        if again != text or len(matrices.rows) != before:
            wrong.append("%s is not what keep.py writes" % name)
    wrong += ["%s: no run has the matrix %s" % (TABLE, key)
              for key in matrices.rows if key not in used]
    with open(matrices.path) as file:
        if file.read() != matrices.text():
            wrong.append("%s is not what keep.py writes" % TABLE)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", metavar="RUN")
    parser.add_argument("-o", "--output", metavar="FOLDER", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "results"))
    parser.add_argument("--best", action="store_true")
    parser.add_argument("--peers", metavar="PEERS.csv")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.best:
        with open(arguments.output, "w") as file:
            json.dump(best(arguments.runs), file, separators=(",", ":"))
        return
    if arguments.check:
        wrong = check(arguments.output, arguments.runs)
        sys.exit("\n".join("keep.py: " + line for line in wrong) or None)
    matrices = Matrices(arguments.output)
    for path in arguments.runs:
        name = os.path.splitext(os.path.basename(path))[0] + ".csv"
        run = read_run(path)
        if arguments.peers:
            add_peers(run, arguments.peers)
        text = run_text(run, matrices)
        with open(os.path.join(arguments.output, name), "w") as file:
            file.write(text)
    with open(matrices.path, "w") as file:
        file.write(matrices.text())


if __name__ == "__main__":
    main()
