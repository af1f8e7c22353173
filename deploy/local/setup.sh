#!/usr/bin/env bash
# Makes a fresh Debian 12 or Ubuntu 22.04/24.04 machine able to build and run Interlock.
#
# Installs only what is missing, says one line for each thing it does, and is silent and quick when there is
# nothing to do. It changes no system setting. Exit code 2: something is missing that it cannot or must not get.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
cache=${INTERLOCK_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or INTERLOCK_CACHE}/.cache}/interlock}
tools=$cache/tools
machine=$(uname -m)

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$@"; exit 2; }

# First version number in what a program says about itself; nothing when it cannot even say that.
version_of() {
    local answer
    answer=$("$1" --version 2>/dev/null </dev/null) || return 0
    [[ $answer =~ [0-9]+\.[0-9]+(\.[0-9]+)? ]] && printf '%s' "${BASH_REMATCH[0]}"
    return 0
}

at_least() { [[ -n $1 ]] && printf '%s\n%s\n' "$2" "$1" | sort -VC; }

# --- Rust -----------------------------------------------------------------------------------------------------

check_cargo() {
    local need have how
    need=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$here/../../Cargo.toml")
    have=$(version_of cargo)
    at_least "$have" "$need" && return
    how="Interlock is built with cargo $need or newer, from rustup (a distribution's own cargo is often older):
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal -c clippy -c rustfmt
  . \"\$HOME/.cargo/env\"
Then run the same command again."
    if [[ -n $have ]]; then
        fail "cargo $have at $(command -v cargo) is too old." "$how"
    elif command -v cargo >/dev/null; then
        fail "cargo at $(command -v cargo) does not answer; 'rustup default stable' may be what is missing." "$how"
    fi
    fail "cargo is missing." "$how"
}

# --- System packages ------------------------------------------------------------------------------------------

# The system's own interpreter, because version managers put wrappers on the PATH that are slow and move about.
find_python() {
    python=/usr/bin/python3
    [[ -x $python ]] || python=$(command -v python3) || python=
}

missing_packages() {
    find_python
    command -v bwrap >/dev/null || printf '%s\n' bubblewrap
    if [[ -z $python ]]; then
        printf '%s\n' python3 python3-venv
    elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        printf '%s\n' python3-venv
    fi
    if ! command -v cc >/dev/null; then
        printf '%s\n' gcc libc6-dev
    elif ! cc -fsyntax-only -include stdio.h -x c /dev/null 2>/dev/null; then
        printf '%s\n' libc6-dev
    fi
    [[ -e /etc/ssl/certs/ca-certificates.crt || ! -e /etc/debian_version ]] || printf '%s\n' ca-certificates
}

install_packages() {
    local missing log root=()
    mapfile -t missing < <(missing_packages)
    [[ ${#missing[@]} -gt 0 ]] || return 0
    command -v apt-get >/dev/null ||
        fail "please install with this system's package manager (names as on Debian): ${missing[*]}"
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || fail "not root and no sudo; as root: apt-get install ${missing[*]}"
        root=(sudo)
    fi
    say "installing ${missing[*]} (apt)"
    log=$(mktemp)
    local apt=(${root[@]+"${root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
    local install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
    # Package lists may be absent or stale: they are fetched only after the first attempt has shown that.
    if ! { "${install[@]}" || { "${apt[@]}" update && "${install[@]}"; }; } >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        fail "apt-get could not install: ${missing[*]}"
    fi
    rm -f "$log"
    mapfile -t missing < <(missing_packages)
    [[ ${#missing[@]} -eq 0 ]] || fail "apt-get said it was done, but these are still not usable: ${missing[*]}"
}

# --- Pinned tools ---------------------------------------------------------------------------------------------

# Is a fit version of the tool the first one on the PATH, our own folder apart?
on_path() {
    local tool=$1 oldest=$2 found
    [[ $oldest != own ]] || return 1
    while read -r found; do
        [[ $found != "$tools/bin/$tool" ]] || continue
        at_least "$(version_of "$found")" "$oldest"
        return
    done < <(type -aP "$tool")
    return 1
}

# Does our folder hold exactly the pinned program?
is_pinned() {
    local file=$tools/bin/$1
    [[ -f $file && -x $file && $(sha256sum <"$file") == "$2  -" ]]
}

# Downloads into a scratch folder; the finished, verified program then appears in one step or not at all.
fetch() {
    local tool=$1 requirement=$2 wheel=$3 member=$4 program=$5
    say "fetching $tool ($requirement)"
    [[ -x $scratch/venv/bin/pip ]] || "$python" -m venv "$scratch/venv"
    printf '%s --hash=sha256:%s\n' "$requirement" "$wheel" >"$scratch/$tool.txt"
    "$scratch/venv/bin/python" -m pip download --quiet --no-deps --require-hashes --only-binary=:all: \
        --disable-pip-version-check --dest "$scratch/$tool" --requirement "$scratch/$tool.txt" </dev/null >&2 ||
        fail "$tool could not be fetched, or is not the pinned release; nothing was changed."
    "$python" "$here/unpack.py" "$scratch/$tool" "$member" "$scratch/$tool.program"
    [[ $(sha256sum <"$scratch/$tool.program") == "$program  -" ]] ||
        fail "the $tool inside the pinned release has another hash than tools.lock says; nothing was changed."
    chmod 755 "$scratch/$tool.program"
    mkdir -p "$tools/bin"
    mv -f "$scratch/$tool.program" "$tools/bin/$tool"
}

# One line (tool, requirement, hashes) for each tool that has to be fetched.
wanted_tools() {
    local tool oldest pin
    while read -r tool oldest; do
        ! on_path "$tool" "$oldest" || continue
        pin=$(awk -v tool="$tool" -v machine="$machine" \
            '$1 == tool && $4 == machine { print $3, $5, $6, $7 }' "$here/tools.lock")
        if [[ -z $pin ]]; then
            # What is never taken from the PATH is for developers of Interlock only: a run does without.
            [[ $oldest == own ]] || fail "no pinned $tool for $machine: put $tool $oldest or newer on the PATH."
        elif ! is_pinned "$tool" "${pin##* }"; then
            printf '%s\n' "$tool $pin"
        fi
    done < <(awk 'NF && !/^#/ && !seen[$1]++ { print $1, $2 }' "$here/tools.lock")
}

install_tools() {
    local wanted line
    wanted=$(wanted_tools)
    [[ -n $wanted ]] || return 0
    mkdir -p "$tools" || fail "cannot write to $cache: set INTERLOCK_CACHE to a folder of your own."
    # Two set-ups at once would fetch everything twice; whoever waited looks again at what is left to do.
    exec 9>"$tools/.lock"
    flock 9
    rm -rf "$tools"/.scratch.*
    scratch=$(mktemp -d "$tools/.scratch.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    wanted=$(wanted_tools)
    while read -r -a line; do
        [[ ${#line[@]} -eq 0 ]] || fetch "${line[@]}"
    done <<<"$wanted"
}

# --- Sandbox --------------------------------------------------------------------------------------------------

# Said once per cache: closed user namespaces are a choice of the machine's owner that this script leaves alone.
hint_about_namespaces() {
    [[ ! -e $tools/.namespaces-hint ]] || return 0
    ! bwrap --unshare-user --ro-bind / / true 2>/dev/null || return 0
    say "note: unprivileged user namespaces are closed on this machine (on Ubuntu 24.04 by AppArmor), so the" \
        "sandbox can use its landlock tier only. 'interlock doctor' tells what that means."
    mkdir -p "$tools" && : >"$tools/.namespaces-hint"
}

check_cargo
install_packages
find_python
install_tools
hint_about_namespaces
