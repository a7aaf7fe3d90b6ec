import { join } from 'node:path';
import type { LastBackup } from '@sallyport/sdk/contract';
import { printable } from '@sallyport/sdk/lines';
import { type AccessLog, type AccessLogOptions, type LogSource, openAccessLog } from '../logs/accessLog.ts';
import { createCertbot } from '../certificates/certbot.ts';
import type { AuthoritySettings, CertificateIssuer } from '../certificates/certificateIssuer.ts';
import { type Certificates, createCertificates } from '../certificates/selfSigned.ts';
import { createNameServers, type NameServers } from '../dns/nameServers.ts';
import type { DataDirectory } from '../machine/dataDirectory.ts';
import type { Ingress } from '../ingress/nginx/ingress.ts';
import { createNames, type Names } from '../machine/names.ts';
import { ISSUED_DIRECTORY } from './dataFiles.ts';
import { readLastBackup } from './lastBackup.ts';
import { createNginxIngress } from '../ingress/nginx/nginxIngress.ts';
import type { KeyVault } from '../vault/keyVault.ts';
import { createAbsentTunnel, type Tunnel } from '../tunnel/wireguard/tunnel.ts';
import { createWireguardTunnel, type WireguardTunnelOptions } from '../tunnel/wireguard/wireguardTunnel.ts';
import { isClockWrong } from '../rules/wrongClock.ts';
import type { Clock } from '../world.ts';
import { destination, type Logger, pino } from 'pino';

/** The outside world of the gateway. */
export type System = {
  ingress: Ingress;
  logs: LogSource;
  certificates: Certificates;
  issuer: CertificateIssuer;
  names: Names;
  /** Where the names of domains are looked up. */
  nameServers: NameServers;
  tunnel: Tunnel;
  vault: KeyVault;
  /** The backup that was made last, as it is judged at a time. */
  lastBackup(now: Date): LastBackup | null;
};

const LOGS_DIRECTORY = 'logs';

/**
 * The real world, in an open data directory.
 * @param vault opens what was sealed for the database
 * @param logs how much is kept of whose lines
 * @param authority which one certificates are had from, as it counts now
 * @param nameServers which ones are asked about domains; none: those of the machine
 * @param tunnel null: the administrator wants none
 * @throws {StartError} when nginx is missing
 */
export async function openSystem(
  data: DataDirectory,
  vault: KeyVault,
  logs: Pick<AccessLogOptions, 'historyBytes' | 'known' | 'notices'>,
  authority: () => AuthoritySettings,
  nameServers: readonly string[],
  tunnel: WireguardTunnelOptions | null,
): Promise<System & { logs: AccessLog }> {
  const ingress = await createNginxIngress({ data });
  return {
    ingress,
    logs: openAccessLog({
      ...logs,
      path: ingress.layout.accessLog,
      directory: join(data.path, LOGS_DIRECTORY),
      reopenLogs: ingress.reopenLogs,
    }),
    certificates: createCertificates(ingress.layout.certificates),
    issuer: createCertbot({ authority, directory: join(data.secrets, ISSUED_DIRECTORY), webroot: ingress.layout.acme }),
    names: createNames(),
    nameServers: createNameServers(nameServers),
    tunnel: tunnel === null ? createAbsentTunnel() : await createWireguardTunnel(tunnel),
    vault,
    lastBackup: (now) => readLastBackup(data.path, now),
  };
}

/** Timers stand still while the machine sleeps and know nothing of a clock that is set, so it is looked at now and then. */
const LOOK_MS = 60_000;
/** At once, where it is wrong: what began under it would be over when it is set (`expiry/wrongClock.ts`). */
const LOOK_WRONG_MS = 100;

/** The machine's own clock. Its alarms do not keep the process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  wake(at, ring) {
    let timer: NodeJS.Timeout;
    const set = (): void => {
      const waitMs = Math.max(0, at.getTime() - Date.now());
      const lookMs = isClockWrong(new Date()) ? LOOK_WRONG_MS : LOOK_MS;
      timer = setTimeout(waitMs > lookMs ? set : ring, Math.min(waitMs, lookMs));
      timer.unref();
    };
    set();
    return () => clearTimeout(timer);
  },
};

/** Names under which a secret might be logged by mistake, at any of the first levels. */
const SECRET_NAMES = ['authorization', 'cookie', 'password', 'token', 'privateKey', 'presharedKey'];
const REDACTED_PATHS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** What a line of the log holds, among other facts. */
type LogLine = { level: number; time: string; msg?: string; err?: { stack?: string } };
const LABELS: Record<number, string> = { 40: 'Warning: ', 50: 'Error: ' };

/** Takes the lines of the log and says them in words, of which a terminal obeys nothing: others chose some of them. */
export const inWords = (terminal: { write(text: string): unknown }) => ({
  write(line: string): void {
    const { level, time, msg = '', err, ...facts } = JSON.parse(line) as LogLine;
    const said = Object.entries(facts).map(([name, fact]) => `${name}: ${text(fact)}`);
    const about = said.length === 0 ? '' : ` (${said.join(', ')})`;
    const stack = (err?.stack ?? '').split('\n').filter(Boolean);
    const first = `${new Date(time).toTimeString().slice(0, 8)} ${LABELS[level] ?? ''}${msg}${about}`;
    terminal.write(`${[first, ...stack.map((each) => `  ${each}`)].map(printable).join('\n')}\n`);
  },
});
const text = (fact: unknown): string => (typeof fact === 'string' ? fact : JSON.stringify(fact));

/** The gateway's own log, on standard error unless told otherwise: JSON lines, in words on a terminal. */
export function createLog(
  level: string,
  stream: Parameters<typeof pino>[1] = process.stderr.isTTY
    ? inWords(process.stderr)
    : destination({ fd: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    },
    stream,
  );
}
