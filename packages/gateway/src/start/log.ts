import { destination, type Logger, pino } from 'pino';

/** Names under which a secret might be logged by mistake, at any of the first levels. */
const SECRET_NAMES = ['authorization', 'cookie', 'password', 'token', 'privateKey', 'presharedKey'];
const REDACTED_PATHS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** The gateway's own log: JSON lines, on standard error unless told otherwise. */
export function createLog(
  level: string,
  stream: Parameters<typeof pino>[1] = destination({ fd: 2, sync: true }),
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
