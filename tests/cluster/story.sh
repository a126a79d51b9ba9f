# shellcheck shell=bash
# Reads tests/story and plays a story on the real cluster: see tests/story/story.h for the text, steps.sh for what each phrase does here.
STORY_KINDS=() STORY_VERBS=() STORY_PATTERNS=()
STEP_STORY=() STEP_AT=() STEP_TEXT=()

bad_story() { printf '%s: %s\n' "$1" "$2" >&2; exit 1; }

read_phrases() { # FILE
	local kind verb phrase n=0
	while read -r kind verb phrase || [ -n "$kind" ]; do
		n=$((n + 1))
		case $kind in '' | '#'*) continue ;; esac
		declare -F "${kind}_$verb" >/dev/null || bad_story "$1:$n" "steps.sh has no ${kind}_$verb"
		phrase=${phrase//'{n}'/'([0-9]+)'}
		phrase=${phrase//'{name}'/'([A-Za-z0-9-]+)'}
		phrase=${phrase//'{text}'/'"([^"]*)"'}
		phrase=${phrase//'{ask}'/'(.+)'}
		STORY_KINDS+=("$kind") STORY_VERBS+=("$verb") STORY_PATTERNS+=("^$phrase\$")
	done <"$1"
}

# match KIND TEXT: sets PHRASE, the function, and ARGS. {ask} can only be the last of them.
match() {
	local i args
	for i in "${!STORY_PATTERNS[@]}"; do
		[[ $2 =~ ${STORY_PATTERNS[i]} ]] && [ "${STORY_KINDS[i]}" = "$1" ] || continue
		args=("${BASH_REMATCH[@]:1}")
		case ${STORY_PATTERNS[i]} in *'(.+)$') match ask "${args[-1]}" || return 1 ;; esac
		PHRASE=${1}_${STORY_VERBS[i]} ARGS=("${args[@]}")
		return 0
	done
	return 1
}

# parse LINE: sets PHRASE, ARGS, WITHIN and FOR
parse() {
	WITHIN='' FOR=''
	case $1 in
		'given '* | 'when '*) match do "${1#* }"; return ;;
		'then '*) ;;
		*) return 1 ;;
	esac
	local rest=${1#then }
	if [[ $rest =~ ^(within|for)\ ([0-9]+)\ s\ (.*)$ ]]; then
		if [ "${BASH_REMATCH[1]}" = within ]; then WITHIN=${BASH_REMATCH[2]}; else FOR=${BASH_REMATCH[2]}; fi
		rest=${BASH_REMATCH[3]}
	fi
	match ask "$rest"
}

read_stories() { # FILE...
	local file line n story
	for file in "$@"; do
		n=0 story=''
		while IFS=$' \t' read -r line || [ -n "$line" ]; do
			n=$((n + 1))
			case $line in
				'' | '#'*) continue ;;
				'story '*) story=${line#story } story=${story//[^A-Za-z0-9]/_}; continue ;;
			esac
			[ -n "$story" ] && parse "$line" || bad_story "$file:$n" "no phrase of tests/story/phrases: $line"
			STEP_STORY+=("$story") STEP_AT+=("$file:$n") STEP_TEXT+=("$line")
		done <"$file"
	done
}
story_names() { printf '%s\n' "${STEP_STORY[@]}" | uniq; }
story_says() { # NAME WHAT
	local i
	for i in "${!STEP_STORY[@]}"; do
		[ "${STEP_STORY[i]}" != "$1" ] || [[ ${STEP_TEXT[i]} != *"$2"* ]] || return 0
	done
	return 1
}

play_step() { # LINE
	local deadline
	parse "$1"
	if [ -n "$WITHIN" ]; then
		poll "$WITHIN" "$1" "$PHRASE" "${ARGS[@]}"
	elif [ -n "$FOR" ]; then
		deadline=$((SECONDS + FOR))
		while [ "$SECONDS" -lt "$deadline" ]; do
			"$PHRASE" "${ARGS[@]}" || return 1
			sleep 0.2
		done
	else
		"$PHRASE" "${ARGS[@]}"
	fi
}

# Runs in a subshell of its own, with "set -e": what it starts it ends. FAILED_AT names the file that tells where it failed.
play_story() { # NAME
	local i
	RANDOM=$SEED
	trap 'repair' EXIT
	watch_pods
	for i in "${!STEP_STORY[@]}"; do
		[ "${STEP_STORY[i]}" = "$1" ] || continue
		printf '%s: %s\n' "${STEP_AT[i]}" "${STEP_TEXT[i]}" >"$FAILED_AT"
		play_step "${STEP_TEXT[i]}"
	done
	: >"$FAILED_AT"
}
