# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the package's stub from its signatures: python3 write_stub.py stub.pyi.in __init__.pyi

For @NAME@ of the template it writes the keyword parameters of heddle.NAME, except return_result, on which the type of the
result depends. Whole numbers are float there, since 1e4 is taken for one.
"""
import re
import sys
from inspect import Parameter, signature

import heddle

TYPES = {  # of parameters that the compiled part does not list
    "M": "_Operator | None", "atol": "float", "callback": "_Callback", "callback_type": "Literal['pr_norm', 'x'] | None",
    "check_every": "float | None", "history": "bool", "maxiter": "float | None", "near_nullspace": "ArrayLike | None",
    "nullspace": "ArrayLike | None", "rtol": "float", "stream": "Any",
}


def type_of(parameter):
    if parameter.annotation is Parameter.empty:
        kind = TYPES[parameter.name]
        return f"{kind} | None" if parameter.default is None and kind == "float" else kind
    return re.sub(r"\bint\b", "float", parameter.annotation)


def parameters_of(name):
    what = getattr(heddle, name)
    found = signature(what.__init__ if isinstance(what, type) else what).parameters.values()
    return ", ".join(f"{one.name}: {type_of(one)} = {one.default!r}" for one in found
                     if one.kind is Parameter.KEYWORD_ONLY and one.name != "return_result")


template, stub = sys.argv[1:]
with open(template) as file:
    text = re.sub(r"@(\w+)@", lambda found: parameters_of(found[1]), file.read())
with open(stub, "w") as file:
    file.write(text)
