import type { Entry } from './entry.ts';

/** The commands of a host that joins a gateway. */
export const HOST_ENTRIES: readonly Entry[] = [
  {
    path: ['login'],
    summary: 'Join a gateway with this host, or sign in as its operator.',
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    path: ['config'],
    summary: "Write this host's configuration without connecting.",
    load: async () => (await import('./commands/config.ts')).config,
  },
  {
    path: ['connect'],
    summary: 'Connect this host to its gateway.',
    load: async () => (await import('./commands/connect.ts')).connect,
  },
  {
    path: ['disconnect'],
    summary: 'Disconnect this host.',
    load: async () => (await import('./commands/disconnect.ts')).disconnect,
  },
  {
    path: ['status'],
    summary: 'Show how this host is connected and what it exposes.',
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    path: ['http'],
    summary: 'Expose a web server of this host.',
    load: async () => (await import('./commands/http.ts')).http,
  },
  {
    path: ['tcp'],
    summary: 'Expose a TCP or UDP port of this host.',
    load: async () => (await import('./commands/tcp.ts')).tcp,
  },
  {
    path: ['enable'],
    summary: 'Open a service of this host again.',
    load: async () => (await import('./commands/enable.ts')).enable,
  },
  {
    path: ['disable'],
    summary: 'Close a service of this host.',
    load: async () => (await import('./commands/disable.ts')).disable,
  },
  {
    path: ['gateway'],
    summary: 'Change the subnet behind this host.',
    load: async () => (await import('./commands/gateway.ts')).gateway,
  },
  {
    path: ['regenerate'],
    summary: "Renew this host's keys and token.",
    load: async () => (await import('./commands/regenerate.ts')).regenerate,
  },
  {
    path: ['service', 'install'],
    summary: 'Have systemd keep this host connected.',
    load: async () => (await import('./commands/service/install.ts')).install,
  },
  {
    path: ['service', 'uninstall'],
    summary: 'Remove the service that keeps this host connected.',
    load: async () => (await import('./commands/service/uninstall.ts')).uninstall,
  },
  {
    path: ['service', 'status'],
    summary: 'Say whether that service runs.',
    load: async () => (await import('./commands/service/status.ts')).status,
  },
  {
    path: ['service', 'run'],
    summary: 'Keep this host connected, in the foreground.',
    load: async () => (await import('./commands/service/run.ts')).run,
  },
];
