import { existsSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { featureLabels, type UnavailableFeature } from '@sallyport/sdk/contract';
import { commands } from './commands.ts';
import type { Config } from '../config.ts';
import { isClockWrong, SET_CLOCK } from '../rules/wrongClock.ts';

/** A host as it stands in an address. */
export const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** What a clock that was not set yet means; null: it may be right. */
export const noticeOfClock = (now: Date): string | null =>
  isClockWrong(now)
    ? `it is set to ${now.toISOString()}, so no certificate can be had until it is right. Set it: ${SET_CLOCK}`
    : null;

/** What the start found out, in a row of its message. */
export type Notice = { label: string; text: string };

/** What the administrator is told when the gateway has started. */
export function startMessage({
  config,
  host,
  addressNotice = null,
  dataDirectory,
  ports,
  fingerprint256,
  passwordFile,
  portsNotice = null,
  notices = [],
  unavailable,
}: {
  config: Pick<Config, 'listen' | 'admin'>;
  /** The public address. */
  host: string;
  /** What was chosen as that without asking; null: nothing. */
  addressNotice?: string | null;
  ports: { http: number; https: number; console: number };
  fingerprint256: string;
  dataDirectory: string;
  passwordFile: string;
  /** Why visitors do not arrive on 80 and 443, and what to do; null: they do, or it is meant to be. */
  portsNotice?: { reason: string; todo: string; setting: string } | null;
  notices?: readonly Notice[];
  unavailable: readonly UnavailableFeature[];
}): string {
  const rows = [
    ['Console', `https://${inUrl(host)}:${ports.console}/`],
    ['', `its certificate is self-signed, SHA-256 ${fingerprint256}`],
    // Whoever changes it has another certificate, and this line is no longer the last one of a log.
    ...(addressNotice === null ? [] : [['', 'another address has another one: sudo sallyport-gateway check shows it']]),
    ['', `http://${inUrl(config.listen.host)}:${config.listen.port}/ on this machine`],
    ...(addressNotice === null ? [] : [['Address', addressNotice]]),
    ['Services', `HTTPS on port ${ports.https}, HTTP on port ${ports.http}`],
    ...(portsNotice === null
      ? []
      : [['', `${portsNotice.reason} ${portsNotice.todo}: ${commands.setting(portsNotice.setting)}`]]),
    ['Data', `in ${dataDirectory}; back it up: sudo sallyport-gateway backup FILE`],
    ['Sign in', `as ${config.admin.username}`],
    ...(existsSync(passwordFile) ? [['', `the password is in ${passwordFile} until the first sign-in`]] : []),
    ...notices.map(({ label, text }) => [label, text]),
    ...unavailable.map(({ feature, reason, fix }, index) => [
      index === 0 ? 'Off' : '',
      `${featureLabels[feature]}: ${reason} ${fix}`,
    ]),
  ];
  const lines = rows.map(([label = '', text = '']) => `  ${label.padEnd(10)}${text}`);
  return `\nSallyport is running.\n${lines.join('\n')}\n\n`;
}
