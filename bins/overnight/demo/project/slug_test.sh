. ./tests/check.sh
. ./lib/slug.sh
check "one word" "hello" "$(slug Hello)"
check "two words" "hello-world" "$(slug "Hello World")"
check "many blanks" "a-b" "$(slug "A   B")"
finish
