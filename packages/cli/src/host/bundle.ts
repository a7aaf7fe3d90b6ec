import type { Client } from '@sallyport/sdk';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { arch, platform, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../failure.ts';
import type { Finding } from './examineGateway.ts';
import { saveSecret } from '../storedFile.ts';

const ARCHIVE_MAX_BYTES = 64 * 1_048_576;
const REDACTED = '[redacted]';

/** The files of an archive, and where each comes from. */
export type Facts = Readonly<Record<string, () => Promise<unknown>>>;

/** Fields that say who someone is, or open something. */
const PRIVATE = /token|secret|password|(?:private|shared)key$|emails?$|^clientip$|^username$/i;

/**
 * Writes an archive (`tar.gz`) to send to someone who helps: what the examination found and what the gateway says about itself,
 * without tokens, keys, addresses of visitors and e-mail addresses. `secrets` stand in it nowhere, no matter who said them.
 */
export async function writeBundle(
  path: string,
  findings: readonly Finding[],
  facts: Facts,
  secrets: readonly string[],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-doctor-'));
  try {
    const files: Record<string, unknown> = {
      'findings.json': findings,
      'system.json': { platform: platform(), release: release(), arch: arch() },
      ...(await settled(facts)),
    };
    for (const [name, value] of Object.entries(files)) {
      await writeFile(join(folder, name), `${without(secrets, JSON.stringify(redacted(value), null, 2))}\n`, {
        mode: 0o600,
      });
    }
    const { stdout } = await promisify(execFile)('tar', ['-czf', '-', '-C', folder, ...Object.keys(files)], {
      encoding: 'buffer',
      maxBuffer: ARCHIVE_MAX_BYTES,
    }).catch((error: unknown) => {
      throw new Failure('failed', 'The archive could not be made: there is no working tar.', 'Install tar.', {
        cause: error,
      });
    });
    saveSecret(path, stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What an operator's gateway says about itself. */
export const operatorFacts = (client: Client): Facts => ({
  'gateway.json': () => client.system.config(),
  'nodes.json': () => client.node.list(),
  'domains.json': () => client.domain.list(),
  'http-services.json': () => client.httpService.listAll(),
  'tcp-services.json': () => client.tcpService.listAll(),
});

/** What could be had, and why the rest could not. */
async function settled(facts: Facts): Promise<Record<string, unknown>> {
  const answers = Object.entries(facts).map(async ([name, ask]): Promise<[string, unknown]> => [
    name,
    await ask().catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) })),
  ]);
  return Object.fromEntries(await Promise.all(answers));
}

const without = (secrets: readonly string[], text: string) =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);

/** The same value with what is private taken out. */
export function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]: [string, unknown]) => [
      name,
      PRIVATE.test(name) && part !== null ? REDACTED : redacted(part),
    ]),
  );
}
