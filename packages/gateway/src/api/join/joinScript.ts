import { isIPv6 } from 'node:net';
import type { Settings } from '../settings.ts';

/** Where a host that joins reaches the gateway, and the key that it trusts: base64 of its SHA-256. */
export type JoinPlace = Pick<Settings, 'vpnHost' | 'consolePort'> & { keyPin: string };

/** The script by which a host joins, and next to it the packages of the command. */
export const JOIN_PATH = '/join';

const urlOf = ({ vpnHost, consolePort }: JoinPlace): string =>
  `https://${isIPv6(vpnHost) ? `[${vpnHost}]` : vpnHost}:${consolePort}`;

/** The line that a host runs. `-k` trusts no certificate blindly: the key must be the pinned one, whoever signed it. */
export const joinCommand = (place: JoinPlace): string =>
  `curl -fsSk --pinnedpubkey 'sha256//${place.keyPin}' ${urlOf(place)}${JOIN_PATH} | sudo sh`;

/** The script, for a shell as plain as Debian's or Alpine's. It does nothing unless it has arrived as a whole. */
export const joinScript = (place: JoinPlace): string => `#!/bin/sh
# Makes this host a node of the gateway at ${urlOf(place)}: installs the command "sallyport" and what
# it needs, asks for the code that the gateway's console shows, joins, and stays connected.
set -eu

URL='${urlOf(place)}'
KEY='${place.keyPin}'
PIN='${Buffer.from(place.keyPin, 'base64').toString('hex')}'

say() { printf '%s\\n' "$*"; }
fail() { printf 'sallyport: %s\\n' "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

fetch() {
  failed=0
  curl -fsSk --connect-timeout 30 --pinnedpubkey "sha256//$KEY" -o "$2" "$URL${JOIN_PATH}/$1" || failed=$?
  # What curl ends with: man curl, EXIT CODES.
  case $failed in
    0) ;;
    6) fail "The name in $URL is not found. Check the DNS of this host, or choose another public address in the console under Settings and copy the line again." ;;
    7) fail "Nothing answers at $URL. Check that the gateway runs, and that its firewall lets this port in." ;;
    22) fail "The gateway has no package $1. Install the command as its page \\"Get the CLI\\" says, then run: sudo sallyport join --url $URL --pin $PIN" ;;
    28) fail "$URL did not answer in time. Check that the gateway runs, and that no firewall on the way drops this port." ;;
    90) fail "What answers at $URL has another key than this line. Copy the line from the console again; if its key is the same, something else answers there." ;;
    *) fail "$URL${JOIN_PATH}/$1 could not be fetched (curl: $failed). Run the line again." ;;
  esac
}

# The packages that are missing, all at once.
missing() {
  has wg && has wg-quick || printf ' wireguard-tools'
  has ip || printf ' iproute2'
  has nft || printf ' nftables'
  [ -e /sys/module/wireguard ] || has wireguard-go || modprobe -q wireguard 2>/dev/null || printf ' wireguard-go'
}

install_command() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if has dpkg && has apt-get; then
    fetch "sallyport_$1.deb" "$work/sallyport.deb"
    packages=$(missing)
    if [ -n "$packages" ]; then
      say "Installing$packages."
      apt-get update -qq
      # Each is a package of its own.
      DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $packages >/dev/null
    fi
    dpkg -i "$work/sallyport.deb" >/dev/null
  else
    packages=$(missing; has xz || printf ' xz')
    [ -z "$packages" ] || fail "Install what is missing, then run the line again:$packages."
    fetch "sallyport_$1.tar" "$work/sallyport.tar"
    tar -xf "$work/sallyport.tar" -C /usr/local --strip-components=2
  fi
  rm -rf "$work"
  say "Installed $(sallyport --version)."
}

join() {
  if [ -n "\${SALLYPORT_CODE_FILE:-}" ]; then
    sallyport join --url "$URL" --pin "$PIN" --code-file "$SALLYPORT_CODE_FILE" "$@"
  elif [ -r /dev/tty ] && ( : </dev/tty ) 2>/dev/null; then
    # Standard input is this script.
    sallyport join --url "$URL" --pin "$PIN" "$@" </dev/tty
  else
    fail 'There is no terminal to ask for the code. Put it into a file, and name that: SALLYPORT_CODE_FILE=FILE'
  fi
}

main() {
  [ "$(id -u)" = 0 ] || fail 'Only root can set up the tunnel: end the line with "| sudo sh".'
  [ "$(uname -s)" = Linux ] || fail 'A host runs Linux. Others join by the file for WireGuard that the console gives.'
  case "$(uname -m)" in
    x86_64 | amd64) install_command amd64 ;;
    aarch64 | arm64) install_command arm64 ;;
    *) fail "There is no package for $(uname -m). Join by the file for WireGuard that the console gives." ;;
  esac
  join "$@"
  if [ -d /run/systemd/system ]; then
    sallyport service install
  else
    say 'Nothing keeps this host connected after a reboot: have "sallyport service run" started by what starts services here.'
  fi
}

main "$@"
`;
