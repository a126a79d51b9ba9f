# shellcheck shell=bash
# Sets BROKE to the line and the command that ended a story, and to what a poll waited for in vain (WAITED_FOR). The line "not ok" of a story has it: of a long log, people see that line. Source it in a story.
BROKE=
# Of a helper that returns 1 bash has the command "return 1" and the line that called the helper.
broken_at() { # LINE COMMAND FILE
	case $2 in return*) set -- "$1" "$(sed -n "$1s/^[[:space:]]*//p" "$3")" ;; esac
	echo "line $1: $2${WAITED_FOR:+; waited in vain: $WAITED_FOR}"
}
set -E
# To standard error: what a command substitution reads stays what its command prints.
trap 'BROKE=${BROKE:-$(broken_at "$LINENO" "$BASH_COMMAND" "${BASH_SOURCE[0]}")}; echo "# line $LINENO: $BASH_COMMAND" >&2' ERR
