# For Doxygen, in the files of those bases: as public_bases.sed names them.
s/^namespace heddle::detail\(::krylov\)\? {/namespace heddle {/
/^ protected:/,/^};/{
/^};/!d
}
