import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { guardFile, readIfThere, writePrivateFile } from '../storedFile.ts';
import type { Host } from './host.ts';
import { HANDOVER_SIGNAL } from './keeper.ts';

/** The name of the unit that keeps this host connected. */
export const UNIT_NAME = 'sallyport.service';
/** What to do where that service does not run; root needs no sudo, unless this run was given its rights by it. */
export const seeJournal = ({ machine }: Pick<Host, 'machine'>, env: Env): string =>
  `See \`${machine.isRoot && !env['SUDO_USER'] ? '' : 'sudo '}journalctl --unit sallyport --no-pager\`.`;
const UNIT_MODE = 0o644;

type Env = Record<string, string | undefined>;

/** How the service of this host is. */
export type ServiceState = { isInstalled: boolean; isActive: boolean; isEnabled: boolean };

/** What became of the service: its unit was removed, or only stopped because it is the package's; or there was none. */
export type Uninstalled = 'removed' | 'stopped' | 'none';

/** The service of systemd that keeps this host connected. @throws {Failure} where systemd does not run */
export function hostService(host: Host, env: Env) {
  const { machine, file, requireRoot } = host;
  if (!machine.hasSystemd) {
    throw new Failure(
      'failed',
      'This machine is not run by systemd.',
      'Have its own service manager run `sallyport service run`, which stays in the foreground.',
    );
  }
  const path = join(machine.unitDirectory, UNIT_NAME);
  const advice = {
    path,
    purpose: 'the unit',
    elsewhere: 'run `sallyport service run` by other means',
    permission: 'Run the command as root, with sudo.',
    renew: 'run `sallyport service install`',
  };
  const isPackaged = () => existsSync(join(machine.packagedUnitDirectory, UNIT_NAME));
  const read = () => guardFile(advice, () => readIfThere(path));

  async function systemctl(...words: string[]): Promise<void> {
    const { code, err } = await machine.run('systemctl', words);
    if (code === 0) return;
    const reason = err.trim().split('\n').at(-1) ?? '';
    throw new Failure(
      'failed',
      `systemctl ${words.join(' ')} failed${reason === '' ? '' : `: ${reason.replace(/[.]$/, '')}`}.`,
      seeJournal(host, env),
    );
  }
  const is = async (word: 'is-active' | 'is-enabled') =>
    (await machine.run('systemctl', [word, '--quiet', UNIT_NAME])).code === 0;

  return {
    path,
    async state(): Promise<ServiceState> {
      const isInstalled = read() !== null || isPackaged();
      return { isInstalled, isActive: await is('is-active'), isEnabled: await is('is-enabled') };
    },
    /**
     * Writes the unit and starts it, now and with the machine. When that fails, what was there is there again. One that runs by the same
     * unit begins its program again, and the tunnel stays up.
     * @param everySeconds how often it asks the gateway; undefined: as usual
     */
    async install(everySeconds?: number): Promise<void> {
      requireRoot('install the service');
      const before = read();
      const unit = systemdUnit(machine.self, file.path, file.directory, everySeconds);
      guardFile(advice, () => writePrivateFile(path, unit, UNIT_MODE));
      try {
        await systemctl('daemon-reload');
        await systemctl('enable', UNIT_NAME);
        await systemctl(before === unit && (await is('is-active')) ? 'reload' : 'restart', UNIT_NAME);
      } catch (error) {
        if (before === null) {
          await machine.run('systemctl', ['disable', '--now', UNIT_NAME]);
          rmSync(path, { force: true });
        } else writePrivateFile(path, before, UNIT_MODE);
        await machine.run('systemctl', ['daemon-reload']);
        throw error;
      }
    },
    /** Stops the service, which takes the tunnel down, and removes the unit unless it is a package's. */
    async uninstall(): Promise<Uninstalled> {
      requireRoot('remove the service');
      const own = read() !== null;
      if (!own && !(isPackaged() && ((await is('is-enabled')) || (await is('is-active'))))) return 'none';
      await systemctl('disable', '--now', UNIT_NAME);
      if (!own) return 'stopped';
      guardFile(advice, () => rmSync(path, { force: true }));
      await systemctl('daemon-reload');
      return 'removed';
    },
  };
}

/** The unit's text. It is as little of root as a program can be that makes network interfaces. */
export function systemdUnit(
  self: readonly string[],
  configPath: string,
  configDirectory: string,
  everySeconds?: number,
): string {
  const every = everySeconds === undefined ? [] : ['--every', String(everySeconds)];
  const command = [...self, 'service', 'run', '--config', configPath, ...every].map(quoted).join(' ');
  return `[Unit]
Description=Sallyport: keeps this host connected to its gateway
Wants=network-online.target
After=network-online.target
# Before the host has joined there is nothing to keep.
ConditionPathExists=${configPath.replaceAll('%', '%%')}

[Service]
Type=exec
ExecStart=${command}
# In the journal; what it runs may be called node.
SyslogIdentifier=sallyport
# Begins the program again, which may be a new version; the tunnel stays up. A minimal Debian has no kill but that of its shell.
ExecReload=/bin/sh -c 'kill -${HANDOVER_SIGNAL.replace('SIG', '')} "$MAINPID"'
Restart=always
RestartSec=5
TimeoutStopSec=30
# Where the kernel has no WireGuard, the tunnel is a process that outlives this one.
KillMode=process

CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_BIND_SERVICE CAP_SYS_MODULE CAP_DAC_READ_SEARCH
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${quoted(configDirectory)} -/run/resolvconf -/etc/resolv.conf
RuntimeDirectory=wireguard
RuntimeDirectoryPreserve=yes
ProtectHome=read-only
PrivateTmp=yes
DevicePolicy=closed
DeviceAllow=/dev/net/tun rw
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service @module
SystemCallErrorNumber=EPERM
UMask=0077

[Install]
WantedBy=multi-user.target
`;
}

/** A word of a command line as systemd reads it. */
function quoted(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[A-Za-z0-9_./:@=+-]+$/.test(word) ? word : `"${escaped}"`;
}
