import { isIPv6 } from 'node:net';
import { isOwnHostOnly } from '../../rules/hostAddress.ts';
import type { Settings } from '../settings.ts';

/** Where a host that joins reaches the gateway, and the key that it trusts: base64 of its SHA-256. */
export type JoinPlace = Pick<Settings, 'vpnHost' | 'consolePort'> & { keyPin: string };

/** The packages of the command that a gateway serves, by their processor. */
export type JoinPackages = ReadonlyMap<string, { version: string; bytes: number }>;

/** The script by which a host joins, and next to it the packages of the command. */
export const JOIN_PATH = '/join';

const urlOf = ({ vpnHost, consolePort }: JoinPlace): string =>
  `https://${isIPv6(vpnHost) ? `[${vpnHost}]` : vpnHost}:${consolePort}`;

/**
 * The line that a host runs; null while the gateway is known only by what leads each host to itself. `-k` trusts no certificate blindly: the key must be
 * the pinned one, no matter who signed it.
 */
export const joinCommand = (place: JoinPlace): string | null =>
  isOwnHostOnly(place.vpnHost)
    ? null
    : `curl -fsSk --pinnedpubkey 'sha256//${place.keyPin}' ${urlOf(place)}${JOIN_PATH} | sudo sh`;

const MEGABYTE = 1_000_000;

/** Of each package a line of the script. */
const packageLines = (packages: JoinPackages): string =>
  [...packages]
    .map(
      ([architecture, { version, bytes }]) =>
        `    ${architecture}) version='${version}' size='${Math.ceil(bytes / MEGABYTE)} MB' ;;\n`,
    )
    .join('');

/** The script, for a shell as plain as Debian's or Alpine's. It does nothing unless it has arrived as a whole. */
export const joinScript = (place: JoinPlace, packages: JoinPackages): string => `#!/bin/sh
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
  say "Downloading sallyport\${size:+ ($size)} from $URL."
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

# What the gateway serves for this processor.
served() {
  version='' size=''
  case "$1" in
${packageLines(packages)}    *) ;;
  esac
}

# Installs the packages that are missing; where that is not Debian's apt, names them.
install_missing() {
  [ -n "$1" ] || return 0
  has dpkg && has apt-get || fail "Install what is missing, then run the line again:$1."
  say "Installing$1."
  apt-get update -qq
  # Each is a package of its own. What debconf says of apt-utils on a bare machine is no fault.
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $1 >/dev/null 2>"$work/apt" ||
    { cat "$work/apt" >&2; fail "apt could not install$1. Repair that, then run the line again."; }
}

install_command() {
  served "$1"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if [ -z "\${SALLYPORT_REINSTALL:-}" ] && [ -n "$version" ] && [ "$(sallyport --version 2>/dev/null)" = "$version" ]; then
    install_missing "$(missing)"
    say "Sallyport $version is installed already; to install it again, end the line with: | sudo SALLYPORT_REINSTALL=1 sh"
    return
  fi
  if has dpkg && has apt-get; then
    fetch "sallyport_$1.deb" "$work/sallyport.deb"
    install_missing "$(missing)"
    dpkg -i "$work/sallyport.deb" >/dev/null
  else
    install_missing "$(missing; has xz || printf ' xz')"
    fetch "sallyport_$1.tar" "$work/sallyport.tar"
    tar -xf "$work/sallyport.tar" -C /usr/local --strip-components=2
  fi
  rm -rf "$work"
  say "Installed $(sallyport --version)."
}

# Before anything is changed: whether there will be a code, and whether what this host is may be replaced.
replace='' keep=''
requirements() {
  can_ask=''
  if [ -z "\${SALLYPORT_CODE_FILE:-}" ] && [ -r /dev/tty ] && ( : </dev/tty ) 2>/dev/null; then can_ask=1; fi
  config=\${SALLYPORT_CONFIG:-/etc/sallyport/config.json}
  for word; do
    # With these the command knows better.
    case "$word" in --force | --config | --config=*) config='' ;; esac
  done
  if [ -n "$config" ] && [ -e "$config" ]; then
    node="This host is a node of $(sed -n 's/.*"url": *"\\([^"]*\\)".*/\\1/p' "$config") already."
    [ -n "$can_ask" ] || fail "$node Give --force to replace that. The line that the console shows takes it at its end: \\\`| sudo sh -s -- --force\\\`."
    # The line brings a host of this gateway up to date, too.
    here=''
    if grep -qF "\\"$URL\\"" "$config"; then here=' Without replacing it, only the command is updated.'; fi
    printf '%s%s Replace that [y/N] ' "$node" "$here" >/dev/tty
    read -r answer </dev/tty || answer=''
    case "$answer" in
      y | Y | yes | Yes | YES) replace=--force ;;
      *)
        [ -n "$here" ] || fail 'Nothing was changed.'
        keep=1
        ;;
    esac
  fi
  [ -n "$can_ask\${SALLYPORT_CODE_FILE:-}" ] ||
    fail 'There is no terminal to ask for the code. Put it into a file, and name that: SALLYPORT_CODE_FILE=FILE'
}

join() {
  if [ -n "$can_ask" ]; then
    # Standard input is this script.
    sallyport join --url "$URL" --pin "$PIN" $replace "$@" </dev/tty
  else
    sallyport join --url "$URL" --pin "$PIN" --code-file "$SALLYPORT_CODE_FILE" "$@"
  fi
}

main() {
  [ "$(id -u)" = 0 ] || fail 'Only root can set up the tunnel: end the line with "| sudo sh".'
  [ "$(uname -s)" = Linux ] || fail 'A host runs Linux. Others join by the file for WireGuard that the console gives.'
  requirements "$@"
  case "$(uname -m)" in
    x86_64 | amd64) install_command amd64 ;;
    aarch64 | arm64) install_command arm64 ;;
    *) fail "There is no package for $(uname -m). Join by the file for WireGuard that the console gives." ;;
  esac
  if [ -n "$keep" ]; then
    say 'This host stays the node that it is.'
    if systemctl is-active --quiet sallyport 2>/dev/null; then sallyport service install; fi
    return
  fi
  join "$@"
  if [ -d /run/systemd/system ]; then
    sallyport service install
  else
    say 'Nothing keeps this host connected after a reboot: have "sallyport service run" started by what starts services here.'
  fi
}

main "$@"
`;
