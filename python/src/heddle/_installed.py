# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The packages heddle and heddle-cuda own one folder, of which pip knows nothing."""
import os

from ._arguments import warn


def check():
    """Warns where both are installed: the folder is then that of the one which came last, and goes with either."""
    here = os.path.dirname(os.path.dirname(__file__))
    found = {name.partition("-")[0] for name in os.listdir(here) if name.startswith("heddle") and name.endswith(".dist-info")}
    if {"heddle", "heddle_cuda"} <= found:
        warn("heddle and heddle-cuda are both installed, in one folder: uninstall both, then install one", RuntimeWarning)
