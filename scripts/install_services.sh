#!/bin/sh
# Installs what `make test-all` needs beside Python: PostgreSQL for the ledger's contract tests, tmux for the wrapper's
# terminal tests, OpenSSH for places behind ssh, bubblewrap for agents behind walls. With root and apt it installs what
# is missing, else it says what to install; the tests then skip with their reason.
set -eu
missing=""
command -v tmux >/dev/null 2>&1 || missing="$missing tmux"
command -v pg_ctl >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 || missing="$missing postgresql"
command -v ssh >/dev/null 2>&1 || missing="$missing openssh-client"
{ command -v sshd || test -x /usr/sbin/sshd; } >/dev/null 2>&1 || missing="$missing openssh-server"
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq
    # shellcheck disable=SC2086  # a list of package names
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "missing for the whole suite:$missing (their tests will be skipped)" >&2
fi
