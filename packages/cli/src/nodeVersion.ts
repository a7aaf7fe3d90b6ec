/** The oldest release that the command runs on, as `engines` in package.json says. */
export const OLDEST_NODE = '22.12';

/** Why the command cannot run on this version of Node; null when it can. Its own words must be old ones. */
export function nodeProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return `This is Node ${version}, and sallyport needs ${OLDEST_NODE} or newer. Install a newer Node, or the Debian package of sallyport, which brings its own.`;
}
