# The sources are compiled straight into build/, and nothing else is.
test -f build/greet.js && test ! -e build/src && test ! -e build/tools && test ! -e build/words.js
