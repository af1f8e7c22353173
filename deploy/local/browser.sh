#!/usr/bin/env bash
# Prints the program of a browser that can be driven without a window, and installs one first where there is none.
set -euo pipefail

say() { printf 'browser: %s\n' "$*" >&2; }

found() {
    local name
    for name in "${INTERLOCK_BROWSER:-}" chromium chromium-browser google-chrome; do
        if [[ -n $name ]] && command -v "$name"; then return 0; fi
    done
    return 1
}

if ! found; then
    command -v apt-get >/dev/null || { say "please install chromium, or name a browser in INTERLOCK_BROWSER"; exit 2; }
    root=()
    [[ $(id -u) -eq 0 ]] || root=(sudo)
    apt=(${root[@]+"${root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
    # Fonts are only recommended by it, and without any a page is all boxes.
    install=("${apt[@]}" install -y --no-install-recommends chromium fonts-dejavu-core)
    say "installing chromium (apt)"
    { "${install[@]}" || { "${apt[@]}" update && "${install[@]}"; }; } >/dev/null </dev/null
    found || { say "chromium was installed and is not on the PATH"; exit 2; }
fi
