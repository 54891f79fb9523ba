#!/bin/sh
# What agents call as their hook: hook_front.sh PYTHON AGENT, the call as JSON on stdin.
#
# Most commands cannot throw work away: they pass here, without Python. A command that might is looked at, and one that
# does is handed on to be saved, asked about or refused. A recognised discard never runs unsaved; for everything else a
# broken hook lets the call pass, and says so once.
input=$(cat)
here=${0%/*}

say_once() {
    (set -C && : >"${TMPDIR:-/tmp}/unlost-hook-broken.$(id -u)") 2>/dev/null || exit 0
    echo "unlost: the hook does not work (see: unlost hooks status); calls pass unguarded" >&2
    exit 1
}

case $input in
*'"PreToolUse"'*)
    case ${input#*'"tool_input"'} in
    *git*checkout* | *git*restore* | *git*reset* | *git*clean* | *git*stash* | *git*switch* | *git*push*) ;;
    *git*branch* | *git*worktree* | *git*read-tree* | *find*-delete*) ;;
    *[!a-zA-Z]rm[!a-zA-Z]* | *\\[nt]rm[!a-zA-Z]*) ;; # also at the beginning of a line, which JSON writes as \n
    *) exit 0 ;;
    esac
    printf '%s' "$input" | "$1" -I -S "$here/hook_look.py" 2>/dev/null
    case $? in
    0) exit 0 ;;
    10) ;;
    *) say_once ;;
    esac
    printf '%s' "$input" | "$1" -I -S "$here/hook_act.py" "$2"
    code=$?
    case $code in
    0 | 2) exit "$code" ;;
    esac
    echo "unlost could not save the work first, so this was not run" >&2
    exit 2
    ;;
*)
    printf '%s' "$input" | "$1" -I -S "$here/hook_act.py" "$2" || say_once
    ;;
esac
