import type { Client } from '@sallyport/sdk';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { arch, platform, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../context.ts';
import type { Finding } from './examination.ts';
import { saveSecret } from './saveSecret.ts';

const ARCHIVE_MAX_BYTES = 64 * 1_048_576;
const REDACTED = '[redacted]';

/** Fields that say who somebody is, or open something. */
const PRIVATE = new Set(['token', 'privateKey', 'preSharedKey', 'allowedEmails', 'clientIp', 'username', 'password']);

/**
 * Writes an archive (`tar.gz`) to send to somebody who helps: what the examination found and what the gateway says about itself,
 * without tokens, keys, addresses of visitors and e-mail addresses.
 */
export async function writeBundle(path: string, findings: readonly Finding[], client: Client): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-doctor-'));
  try {
    const files: Record<string, unknown> = {
      'findings.json': findings,
      'system.json': { platform: platform(), release: release(), arch: arch() },
      ...(findings.some(({ step, state }) => step === 'token' && state === 'ok') ? await facts(client) : {}),
    };
    for (const [name, value] of Object.entries(files)) {
      await writeFile(join(folder, name), `${JSON.stringify(redacted(value), null, 2)}\n`, { mode: 0o600 });
    }
    const { stdout } = await promisify(execFile)('tar', ['-czf', '-', '-C', folder, ...Object.keys(files)], {
      encoding: 'buffer',
      maxBuffer: ARCHIVE_MAX_BYTES,
    }).catch((error: unknown) => {
      throw new Failure('failed', 'The archive could not be made: there is no working tar.', 'Install tar.', {
        cause: error,
      });
    });
    await saveSecret(path, stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function facts(client: Client): Promise<Record<string, unknown>> {
  const asked = {
    'gateway.json': client.system.config(),
    'nodes.json': client.node.list(),
    'domains.json': client.domain.list(),
    'http-services.json': client.httpService.listAll(),
    'tcp-services.json': client.tcpService.listAll(),
  };
  const answers = Object.entries(asked).map(async ([name, answer]): Promise<[string, unknown]> => [
    name,
    await answer.catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) })),
  ]);
  return Object.fromEntries(await Promise.all(answers));
}

/** The same value with what is private taken out. */
export function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]: [string, unknown]) => [
      name,
      PRIVATE.has(name) && part !== null ? REDACTED : redacted(part),
    ]),
  );
}
