#! /bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Random small protocols get one verdict from the search of lowering/proof/ and from a naive one of all executions.

. "$(dirname "$0")/../tap.sh"
for seed in 1 2; do ok "random protocols, seed $seed" "$top_builddir/tests/proof/protocols" 250 $seed 3000; done
done_testing
