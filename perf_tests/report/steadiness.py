# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How steady the times of a results file are: what heddle-bench says of that, read again."""


def spread(samples):
    """Of the times of a contestant, or of the reference; None where the file does not tell."""
    return samples.get("spread") if samples else None


def unsteady_contestants(matrix):
    """Names and spreads of those of a matrix whose times are not to be compared."""
    names = matrix.get("steadiness", {}).get("unsteady_contestants", [])
    return [(c["name"], max(spread(c.get(key)) or 0 for key in ("time_seconds", "queued_seconds")))
            for c in matrix["contestants"] if c["name"] in names]


def warning(matrix):
    """One line on a matrix, as heddle-bench prints it below its table; None where all is steady."""
    told = unsteady_contestants(matrix)
    steadiness = matrix.get("steadiness", {})
    if steadiness.get("unsteady_machine"):
        told.insert(0, ("the reference operation", spread(steadiness["reference_seconds"])))
    if not told:
        return None
    return "%s: %s" % (matrix["name"], ", ".join(
        "%s (%.0f %%)" % (name, 100 * value) for name, value in told))


def warnings(results):
    return [line for line in map(warning, results["matrices"]) if line]


def find_again(matrix):
    """Sets the names anew, of a matrix whose contestants were taken from several runs."""
    if "steadiness" not in matrix:
        return
    limit = matrix["steadiness"]["spread_limit"]
    matrix["steadiness"]["unsteady_contestants"] = [
        c["name"] for c in matrix["contestants"]
        if max(spread(c.get(key)) or 0 for key in ("time_seconds", "queued_seconds")) > limit]
