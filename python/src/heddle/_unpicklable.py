# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
class Unpicklable:
    """What borrows memory, and can be neither pickled nor copied."""

    __slots__ = ()

    def __reduce_ex__(self, protocol):
        kind = type(self).__name__
        raise TypeError(f"a {kind} can be neither pickled nor copied, since it borrows a matrix; "
                        f"send the matrix, and make the {kind} where it is used")
