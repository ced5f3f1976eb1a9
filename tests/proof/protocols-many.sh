#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same as protocols.sh for 20,000 protocols, and larger ones.

. "$(dirname "$0")/../tap.sh"
for seed in 3 4 5 6; do ok "random protocols, seed $seed" "$top_builddir/tests/proof/protocols" 5000 $seed 20000; done
done_testing
