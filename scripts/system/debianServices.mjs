import { existsSync, lstatSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { quietly } from '../quietly.mjs';

/** The units that Debian enables with a package, and what they would do after the next reboot. */
const UNITS = {
  'nginx-light': { unit: 'nginx.service', why: 'would take ports 80 and 443' },
  certbot: { unit: 'certbot.timer', why: 'would renew certificates that the gateway renews itself' },
};

/** Where `systemctl enable` puts its links, below /etc/systemd/system. */
const WANTED_BY = ['multi-user.target.wants', 'timers.target.wants'];

/**
 * Disables the services of packages that were just installed for the gateway, which runs these programs itself: Debian
 * enables them, and at the next start of the machine its nginx would be first at port 80. Also works where systemd does not
 * run, and does nothing where a unit is not there.
 * @returns {Promise<{ unit: string, why: string }[]>} those that are disabled now and were not before
 */
export async function disableDebianServices(root, packages) {
  const disabled = [];
  for (const { unit, why } of packages.flatMap((name) => UNITS[name] ?? [])) {
    const links = WANTED_BY.map((wants) => join(root, 'etc/systemd/system', wants, unit)).filter(isLink);
    if (links.length === 0) continue;
    await quietly('systemctl', [...(root === '/' ? [] : ['--root', root]), '--quiet', 'disable', unit], {}).catch(
      () => undefined,
    );
    // Where there is no systemctl, or it was refused, its links are all that it would have removed.
    for (const link of links.filter(isLink)) await rm(link);
    disabled.push({ unit, why });
  }
  return disabled;
}

/** A link is one wherever it leads; those of another root lead nowhere from here. */
function isLink(path) {
  return existsSync(path) || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
