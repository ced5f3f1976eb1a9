#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/apps/digits, whose authors know autotools and nothing of wsc: configure, make check and make distcheck, each
# target.

. "$(dirname "$0")/../tap.sh"

for tool in autoreconf automake; do
    command -v $tool >/dev/null 2>&1 || { skip 'digits' "no $tool"; done_testing; }
done
cp -R "$top_srcdir/tests/apps/digits" "$work/digits" && chmod -R u+w "$work/digits" && cd "$work/digits" || exit 99
ok 'autoreconf' autoreconf --install
targets=sequential
if has_plugin; then targets='sequential emulate'; fi
for target in $targets; do
    configured() { mkdir "$work/$target" && cd "$work/$target" && ../digits/configure -q CC="$wscc --ws-target=$target";
        }
    ok "$target: configure" configured
    ok "$target: make check" make -C "$work/$target" check
done
# The targets print the same.
same_output() { "$work/sequential/digits" >"$work/a" && "$work/emulate/digits" >"$work/b" && diff "$work/a" "$work/b"; }
if has_plugin; then ok 'sequential and emulate print the same' same_output; fi
ok 'make distcheck' make -C "$work/sequential" distcheck DISTCHECK_CONFIGURE_FLAGS="CC='$wscc --ws-target=sequential'"
done_testing
