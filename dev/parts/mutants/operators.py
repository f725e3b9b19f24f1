# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small faults of a line of C++: what is replaced by what."""
import re

# A name, what it matches, and what stands there instead. Operators have blanks around them (dev/format sees
# to that), so that no template bracket, arrow or pointer is one.
OPERATORS = [
    ("< to <=", r" < (?!=)", " <= "),
    ("<= to <", r" <= ", " < "),
    ("> to >=", r" > (?=[\w(-])", " >= "),
    (">= to >", r" >= ", " > "),
    ("== to !=", r" == ", " != "),
    ("!= to ==", r" != ", " == "),
    ("&& to ||", r" && (?!\.)", " || "),
    ("|| to &&", r" \|\| ", " && "),
    ("+ to -", r" \+ (?!\")", " - "),
    ("- to +", r" - ", " + "),
    ("* to +", r" \* (?=[\w(])", " + "),
    ("/ to *", r" / ", " * "),
    ("% to /", r" % ", " / "),
    ("+= to -=", r" \+= (?!\")", " -= "),
    ("-= to +=", r" -= ", " += "),
    ("*= to =", r" \*= ", " = "),
    ("++ to --", r"\+\+(?=\w)", "--"),
    ("a bound one lower", r"(?<=[\w)])\.size\(\)(?=[);])", ".size() - 1"),
    ("0 to 1", r"(?<== )0(?=;)", "1"),
    ("1 to 2", r"(?<== )1(?=;)", "2"),
    ("1 to 0", r"(?<=[+-] )1(?=[\s;)\],])", "0"),
    ("true to false", r"\btrue\b", "false"),
    ("false to true", r"\bfalse\b", "true"),
    ("a condition negated", r"\bif \(", ""),  # see faults()
    ("min to max", r"\bstd::min\b", "std::max"),
    ("max to min", r"\bstd::max\b", "std::min"),
    ("alpha for beta", r"\bbeta\b", "alpha"),
    ("lower for upper", r"\bTriangle::upper\b", "Triangle::lower"),
    ("no barrier", r"^\s*\w+\.(barrier|sync|fence)\([^;]*\);$", ""),
    ("no return in between", r"(?<=\) )return;$", ";"),
    ("continue to break", r"\bcontinue;", "break;"),
    ("an index off by one", r"\[(i|j|k|row|column|place|entry|e|v|c)\]", r"[\1 + 1]"),
]
NOT_CODE = re.compile(r"^\s*(//|#|\*|static_assert|template|using|namespace|assert\(|throw |CHECK)|operator[<>=!+*/-]")


def without_words(line):
    """The line with blanks for what stands in strings and comments."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: '"' + "x" * (len(m[0]) - 2) + '"', line)
    return line.partition("//")[0].rstrip()


def closing(line, at):
    """The place of the bracket that closes the one before `at`, or -1."""
    depth = 1
    for i in range(at, len(line)):
        depth += (line[i] == "(") - (line[i] == ")")
        if depth == 0:
            return i
    return -1


def faults(text):
    """Of a source: (index of the line, the name of the fault, the line with it)."""
    in_message = False
    for index, line in enumerate(text.split("\n")):
        code = without_words(line)
        if re.search(r"\b(throw|Error\(|Refusal\()", code):
            in_message = True  # to the end of the statement: words are no behavior
        skip = in_message or not code.strip() or NOT_CODE.search(code)
        if in_message and code.endswith(";"):
            in_message = False
        if skip:
            continue
        for name, pattern, instead in OPERATORS:
            for match in re.finditer(pattern, code):
                if name == "a condition negated":
                    end = closing(code, match.end())
                    if end < 0:
                        continue
                    changed = line[:match.end()] + "!(" + line[match.end():end] + ")" + line[end:]
                else:
                    changed = line[:match.start()] + match.expand(instead) + line[match.end():]
                if changed != line:
                    yield index, name, changed
