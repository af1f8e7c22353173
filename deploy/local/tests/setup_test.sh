#!/usr/bin/env bash
# Drives setup.sh on throwaway caches: what it installs, that it then leaves alone, and everything it must refuse.
#
# System packages are never touched: where apt-get would be called, a recorder stands on the PATH instead.
set -euo pipefail

local_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
root=$(cd -- "$local_dir/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
machine=$(uname -m)
failures=0

check() {
    local what=$1
    shift
    if "$@"; then
        printf 'ok   %s\n' "$what"
    else
        printf 'FAIL %s\n' "$what"
        sed 's/^/     | /' "$work/out"
        failures=$((failures + 1))
    fi
}

# run PATH CACHE [SETUP]: leaves the exit code in $code and all output in $work/out.
run() {
    code=0
    PATH=$1 INTERLOCK_CACHE=$2 "${3:-$local_dir/setup.sh}" >"$work/out" 2>&1 </dev/null || code=$?
}

# A PATH on which chosen programs are absent: links to everything else, and room for stand-ins.
path_without() {
    local dir=$work/path.$1 name
    shift
    mkdir -p "$dir"
    ln -sf /usr/bin/* "$dir/"
    ln -sf "$(command -v cargo)" "$dir/cargo"
    stand_in "$dir/bwrap" 'exit 0' # as on a machine with open user namespaces, whatever this one is
    for name in sudo nats-server uv "$@"; do rm -f "$dir/$name"; done
    printf '%s' "$dir"
}

# stand_in FILE LINE...: a small program in the place of a real one.
stand_in() {
    local file=$1
    shift
    rm -f "$file"
    printf '%s\n' '#!/bin/sh' "$@" >"$file"
    chmod +x "$file"
}

# A copy of the set-up whose pins a test may change.
copy_of_setup() {
    mkdir -p "$work/$1/deploy"
    cp -r "$local_dir" "$work/$1/deploy/local"
    cp "$root/Cargo.toml" "$work/$1/"
    printf '%s' "$work/$1/deploy/local"
}

pinned() { awk -v t="$1" -v m="$machine" '$1 == t && $4 == m { print $7 }' "$local_dir/tools.lock"; }
is_whole() { [[ $(sha256sum <"$2/tools/bin/$1") == "$(pinned "$1")  -" ]]; }
says() { grep -qF -- "$1" "$work/out"; }
silent() { [[ ! -s $work/out ]]; }
exits() { [[ $code -eq $1 ]]; }
absent() { [[ ! -e $1 ]]; }
no_scratch() { ! compgen -G "$1/tools/.scratch.*" >/dev/null; }
# Content and time of every file: equal means that nothing was written.
state_of() { (cd "$1" && find . -type f -printf '%p %T@ %i\n' | sort); }

plain=$(path_without plain)
cache=$work/cache

# --- Installing, and installing nothing ---
run "$plain" "$cache"
check "a fresh cache is filled" exits 0
for tool in nats-server uv ruff; do
    check "$tool is the pinned program" is_whole "$tool" "$cache"
done
check "no scratch is left" no_scratch "$cache"

before=$(state_of "$cache")
began=$(date +%s%N)
run "$plain" "$cache"
took=$((($(date +%s%N) - began) / 1000000))
check "a second run succeeds (${took} ms)" exits 0
check "a second run says nothing" silent
check "a second run writes nothing" [ "$before" = "$(state_of "$cache")" ]

printf 'x' >>"$cache/tools/bin/uv"
run "$plain" "$cache"
check "a corrupted tool is seen" says "fetching uv"
check "a corrupted tool is replaced" is_whole uv "$cache"
check "the others are left alone" [ "$(grep -c fetching "$work/out")" = 1 ]

# --- An interrupted download ---
# Killed as soon as it has begun to write; at that moment or later, a program is there whole or not at all.
(PATH=$plain INTERLOCK_CACHE=$work/cut exec setsid "$local_dir/setup.sh") >"$work/out" 2>&1 </dev/null &
victim=$!
for _ in $(seq 600); do
    if compgen -G "$work/cut/tools/.scratch.*" >/dev/null; then break; fi
    sleep 0.05
done
kill -KILL -- "-$victim" 2>/dev/null || kill -KILL "$victim" 2>/dev/null || true
wait "$victim" 2>/dev/null || true
check "a killed set-up leaves no tool" absent "$work/cut/tools/bin/nats-server"
# What it left of its own goes away with the next one.
mkdir -p "$work/cut/tools/bin" "$work/cut/tools/.scratch.stale"
cp "$cache"/tools/bin/* "$work/cut/tools/bin/"
rm "$work/cut/tools/bin/ruff"
run "$plain" "$work/cut"
check "the next run finishes the work" is_whole ruff "$work/cut"
check "the next run removes the scratch" no_scratch "$work/cut"

# --- Wrong hashes ---
bad=$(copy_of_setup bad-wheel)
sed -i -E 's/(ruff .* (x86_64|aarch64) +)[0-9a-f]{4}/\10000/' "$bad/tools.lock"
rm -f "$cache/tools/bin/ruff"
run "$plain" "$cache" "$bad/setup.sh"
check "a wheel with another hash is refused" exits 2
check "the refusal says so" says "is not the pinned release"
check "nothing of it is installed" absent "$cache/tools/bin/ruff"

bad=$(copy_of_setup bad-program)
sed -i -E 's/^(ruff .* )[0-9a-f]{4}([0-9a-f]{60})$/\10000\2/' "$bad/tools.lock"
run "$plain" "$cache" "$bad/setup.sh"
check "a program with another hash is refused" exits 2
check "that refusal says so" says "another hash than tools.lock says"
check "nothing of that is installed" absent "$cache/tools/bin/ruff"
check "no scratch is left after a refusal" no_scratch "$cache"
run "$plain" "$cache"
check "the true pins mend it" is_whole ruff "$cache"

# --- What stands on the PATH ---
fit=$(path_without fit)
stand_in "$fit/nats-server" 'echo "nats-server: v2.11.3"'
stand_in "$fit/uv" 'echo "uv 0.9.1 (abc 2025-10-01)"'
mkdir -p "$work/fit/tools/bin"
cp "$cache/tools/bin/ruff" "$work/fit/tools/bin/"
run "$fit" "$work/fit"
check "fit versions on the PATH are used" exits 0
check "nothing is fetched beside them" silent

old=$(path_without old)
stand_in "$old/nats-server" 'echo "nats-server: v2.9.10"'
stand_in "$old/uv" 'echo "wrapper: uv: command not found" >&2; exit 127'
mkdir -p "$work/old/tools/bin"
cp "$cache"/tools/bin/* "$work/old/tools/bin/"
run "$old" "$work/old"
check "beside unfit versions our own are kept" silent
rm "$work/old/tools/bin/nats-server"
run "$old" "$work/old"
check "an unfit version on the PATH is not used" is_whole nats-server "$work/old"
run "$work/old/tools/bin:$plain" "$work/old"
check "our own folder on the PATH is not taken for the system's" silent
printf 'x' >>"$work/old/tools/bin/nats-server"
run "$work/old/tools/bin:$plain" "$work/old"
check "corruption is seen there too" is_whole nats-server "$work/old"

strange=$(path_without strange)
stand_in "$strange/uname" 'echo vax'
run "$strange" "$work/strange"
check "an unknown machine is refused" exits 2
check "and told what to do" says "put nats-server 2.10 or newer on the PATH"

# --- Rust ---
none=$(path_without no-cargo cargo rustup)
run "$none" "$work/no-cargo"
check "missing cargo: exit 2" exits 2
check "missing cargo: the exact command" says "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
check "missing cargo: nothing is installed first" absent "$work/no-cargo"
stand_in "$none/cargo" 'echo "cargo 1.63.0"'
run "$none" "$work/no-cargo"
check "an old cargo: exit 2" exits 2
check "an old cargo is named" says "cargo 1.63.0"
stand_in "$none/cargo" 'echo "error: no default toolchain" >&2; exit 1'
run "$none" "$work/no-cargo"
check "a cargo without toolchain: exit 2" exits 2
check "a cargo without toolchain: the hint" says "rustup default stable"

# --- System packages ---
apt=$(path_without apt bwrap cc apt-get)
stand_in "$apt/id" 'echo 0'
run "$apt" "$cache"
check "no apt-get: exit 2" exits 2
check "no apt-get: the packages are named" says "bubblewrap gcc libc6-dev"
# The first attempt fails as it does where the package lists are absent.
stand_in "$apt/apt-get" "echo \"\$*\" >>$work/apt.log" 'case "$*" in' \
    "*update) touch $work/lists ;;" \
    "*) [ -e $work/lists ] || exit 100; ln -s /bin/true $apt/bwrap; ln -s /bin/true $apt/cc ;;" 'esac'
run "$apt" "$cache"
check "missing packages are installed" exits 0
check "exactly the missing ones" grep -q -- '-y --no-install-recommends bubblewrap gcc libc6-dev$' "$work/apt.log"
check "lists are fetched when needed" grep -q 'update$' "$work/apt.log"
check "one line is said" [ "$(wc -l <"$work/out")" = 1 ]
: >"$work/apt.log"
run "$apt" "$cache"
check "then apt-get is left alone" [ ! -s "$work/apt.log" ]

rm "$apt/bwrap"
stand_in "$apt/apt-get" 'echo "E: disk full"; exit 100'
run "$apt" "$cache"
check "a failing apt-get: exit 2" exits 2
check "a failing apt-get: its reason is shown" says "E: disk full"
stand_in "$apt/apt-get" 'exit 0'
run "$apt" "$cache"
check "an apt-get that lies is found out" says "still not usable: bubblewrap"
stand_in "$apt/id" 'echo 1000'
run "$apt" "$cache"
check "no root and no sudo: exit 2" exits 2
check "no root and no sudo: the command" says "as root: apt-get install bubblewrap"
stand_in "$apt/sudo" "echo \"\$*\" >$work/sudo.log" "ln -s /bin/true $apt/bwrap"
run "$apt" "$cache"
check "an ordinary user goes through sudo" grep -q 'apt-get .*install .*bubblewrap$' "$work/sudo.log"

# --- User namespaces ---
closed=$(path_without closed)
stand_in "$closed/bwrap" 'exit 1'
run "$closed" "$cache"
check "closed user namespaces: no failure" exits 0
check "closed user namespaces: a hint" says "landlock tier"
run "$closed" "$cache"
check "the hint is given once" silent

printf '%s\n' "" "setup_test: $failures failed"
[[ $failures -eq 0 ]]
