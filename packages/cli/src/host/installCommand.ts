/** What to type on which distribution to get WireGuard's tools. */
const BY_DISTRIBUTION: readonly (readonly [RegExp, string])[] = [
  [/\b(debian|ubuntu)\b/, 'apt-get install'],
  [/\b(fedora|rhel|centos)\b/, 'dnf install'],
  [/\balpine\b/, 'apk add'],
  [/\barch\b/, 'pacman -S'],
  [/\b(opensuse|suse|sles)\b/, 'zypper install'],
];

/** The command that installs a package here; on an unknown distribution it names the package alone. */
export function installCommand(distribution: string, packageName: string): string {
  const found = BY_DISTRIBUTION.find(([pattern]) => pattern.test(distribution));
  return found ? `Run \`${found[1]} ${packageName}\` as root.` : `Install the package ${packageName}.`;
}
