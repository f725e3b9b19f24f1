# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signatures and docstrings of what has options, from the compiled part's table of them."""
import re
from inspect import Parameter, signature
from textwrap import indent


def takes(struct, *names, like=None):
    """Decorates a class whose __init__ has `**options`, or such a function: its signature and its docstring, for {options},
    list those of a struct of _core, all or these. `like` has the parameters before them, as another function has them."""
    fields = [one for one in struct.fields() if not names or one[0] in names]

    def decorate(what):
        function = what.__init__ if isinstance(what, type) else what
        own = list(signature(like or function).parameters.values())
        first = next(k for k, one in enumerate(own) if one.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD))
        listed = [Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind) for name, kind, default, _ in fields]
        rest = [one for one in own[first:] if one.kind is not Parameter.VAR_KEYWORD]
        function.__signature__ = signature(function).replace(parameters=own[:first] + listed + rest)
        what._parameters = {one.name: one.default for one in listed + rest}
        text = "".join(f"{name} : {_words(kind)}, default {default!r}\n    {sentence}\n" for name, kind, default, sentence in fields)
        if what.__doc__ is None:  # python -OO
            return what
        what.__doc__ = re.sub(r"^( *)\{options\}\n", lambda found: indent(text, found[1]), what.__doc__, flags=re.M)
        return what

    return decorate


def _words(kind):
    """A type as docstrings have it."""
    return re.sub(r"Literal\[([^]]*)\]", r"{\1}", kind)
