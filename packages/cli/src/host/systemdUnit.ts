/** The name of the unit that keeps this host connected. */
export const UNIT_NAME = 'sallyport.service';

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
Restart=always
RestartSec=5
TimeoutStopSec=30
KillMode=mixed

CapabilityBoundingSet=CAP_NET_ADMIN CAP_SYS_MODULE CAP_DAC_READ_SEARCH
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
