# Shared by the scripts beside it (bash). Sets `root`, the top of the checkout; every script works
# from any directory and in a path with spaces.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

say() {
    printf '%s\n' "$*"
}

# fail CODE MESSAGE: the exit codes are those of the programs (2 usage, 5 environment).
fail() {
    local code=$1
    shift
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit "$code"
}

# quietly LOG COMMAND...: keeps the output in LOG and shows it only if the command fails.
quietly() {
    local log=$1 code=0
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 </dev/null || code=$?
    if [ "$code" -ne 0 ]; then
        cat "$log" >&2
        printf '%s: failed with exit code %s: %s\n' "${0##*/}" "$code" "$*" >&2
    fi
    return "$code"
}

# What the caller's shell says about OpenMP, MPI and hwloc must not steer a test.
forget_callers_settings() {
    local name
    for name in $(compgen -e); do
        case $name in
        OMP_* | GOMP_* | KMP_* | MPIR_* | MPICH_* | MPIEXEC_* | HYDRA_* | HWLOC_*) unset "$name" ;;
        esac
    done
}

# run_tests FOLDER SETUP [ARGUMENT...]: meson test with one of the setups of tests/meson.build; adds
# to `passed` and `failed`.
passed=0 failed=0
run_tests() {
    local folder=$root/$1 setup=$2 counts code=0
    shift 2
    rm -f "$folder/meson-logs/testlog-$setup".*
    meson test -C "$folder" --no-rebuild --setup "$setup" --print-errorlogs "$@" </dev/null || code=$?
    counts=$(python3 -B "$root/run/count.py" "$folder/meson-logs/testlog-$setup.json")
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
    # meson test may fail beyond its tests, for example by an unknown argument
    if [ "$code" -ne 0 ] && [ "${counts#* }" -eq 0 ]; then
        failed=$((failed + 1))
    fi
}

# The last line of a test run; its exit code is the script's.
report_tests() {
    say "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
