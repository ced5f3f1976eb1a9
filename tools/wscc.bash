# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of wscc for bash: its own options, their values where they are few, else what gcc's completion says.

_wscc()
{
    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} option='' words
    # bash splits at '='
    if [[ $cur == = ]]; then
        option=$before cur=
    elif [[ $before == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $cur == --ws-*=* ]]; then
        option=${cur%%=*} cur=${cur#*=}
    fi
    case $option in
    --ws-target) words='cuda emulate sequential cuda,emulate' ;;
    --ws-gpu) words='90a 90 120a' ;;
    --ws-frontend) words='gcc clang' ;;
    --ws-print) words='target cflags libs cuda-libs fingerprint fortran gdb tools' ;;
    --ws-dump) words="all $("${COMP_WORDS[0]%wscc}wsc-lower" --passes 2>/dev/null | sed 's/^ *//; s/ .*//')" ;;
    --ws-bundle | --ws-python)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return ;;
    --ws-*)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return ;;
    esac
    if [[ -n $option ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    elif [[ $cur == --ws* || $cur == -- ]]; then
        words=$("${COMP_WORDS[0]}" --ws-help 2>/dev/null | sed -n 's/^  \(--ws-[a-z]*=\{0,1\}\).*/\1/p' | sort -u)
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
    elif declare -F _gcc >/dev/null; then
        _gcc
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _wscc wscc
