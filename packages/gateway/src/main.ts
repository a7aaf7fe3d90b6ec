import { dirname, join } from 'node:path';
import { printable } from '@sallyport/sdk/lines';
import { CommanderError } from 'commander';
import type { ImportPlan } from './admin/importPlan.ts';
import { EXIT_CODES } from './exitCodes.ts';
import { createProgram, type ImportOptions } from './program.ts';
import { nameOwnProcess } from './machine/ownProcess.ts';
import { serve } from './start/serve.ts';
import { DatabaseError } from './store/open.ts';
import { InterruptedError, StartError, UsageError } from './machine/startError.ts';

// Anyone who read what the gateway says may be gone; that is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** A result that a program reads. */
const printJson = (result: object): void => void process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);

/** Shows what becomes of a plan, or makes it. */
async function carryOut(plan: ImportPlan, { node, apply = false, json = false }: ImportOptions): Promise<void> {
  const { domainText, importServices, leftText, outcomeText } = await import('./admin/importServices.ts');
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const told: Parameters<typeof importServices>[2]['told'] = (outcome) =>
    json ? undefined : print('domain' in outcome ? domainText(outcome) : outcomeText(outcome));
  const { domains, outcomes } = await importServices(process.env, plan, { node, apply, told });
  if (json) printJson({ domains, outcomes, left: plan.left });
  else for (const left of plan.left) print(leftText(left));
  if (!apply) say('Nothing was changed. To make what is new: the same with --apply.');
  if ([...domains, ...outcomes].some(({ state }) => state === 'failed')) process.exitCode = EXIT_CODES.failed.code;
}

/** How a line of `check` begins. */
const LABELS = { ok: 'ok', warning: 'WARN', failed: 'FIX' };

// What a command alone needs is loaded with it.
const program = createProgram({
  start() {
    nameOwnProcess('sallyport-gateway');
    return serve(() => process.exit(1));
  },
  async check({ json }) {
    const { check } = await import('./admin/check.ts');
    const findings = await check(process.env, { told: say });
    const lines = findings.map(
      ({ state, what, text, fix }) =>
        `${LABELS[state].padEnd(5)}${what.padEnd(16)}${text}${fix === null ? '' : ` ${fix}`}`,
    );
    if (json === true) printJson(findings);
    else process.stdout.write(`${lines.map(printable).join('\n')}\n`);
    if (findings.some(({ state }) => state === 'failed')) process.exitCode = EXIT_CODES.failed.code;
  },
  async health() {
    const { askHealth } = await import('./admin/health.ts');
    const { isFine, text } = await askHealth(process.env);
    process.stdout.write(`${text}\n`);
    if (!isFine) process.exitCode = EXIT_CODES.failed.code;
  },
  async resetPassword({ json }) {
    const { resetPassword } = await import('./admin/resetPassword.ts');
    const { username, password } = await resetPassword(process.env);
    say(`The password of ${username} is new, and everyone is signed out:`);
    if (json === true) printJson({ username, password: password.reveal() });
    else process.stdout.write(`${password.reveal()}\n`);
  },
  async backup(target, { logs = false, keep, json, ...options }) {
    if (json === true && target === '-') {
      throw new UsageError('Standard output is the backup itself. Name a file, or leave --json out.');
    }
    const [{ formatBytes }, { backup }, { lockOf }, { createProgress }] = await Promise.all([
      import('@sallyport/sdk/format'),
      import('./admin/backup.ts'),
      import('./admin/keys.ts'),
      import('./admin/progress.ts'),
    ]);
    const lock = await lockOf(options);
    const how = { target, lock, withLogs: logs, progress: createProgress(), ...(keep !== undefined && { keep }) };
    const { file, manifest, bytes } = await backup(process.env, how);
    const { version, createdAt, files } = manifest;
    if (json === true) printJson({ file, bytes, version, createdAt, files: files.map(({ path }) => path) });
    const opener = 'passphrase' in lock ? 'passphrase' : 'identity';
    say(
      `Done: ${file}, ${files.length} files, ${formatBytes(bytes)}. Keep the ${opener} elsewhere: it alone opens it.`,
    );
  },
  async importNpm(database, { certificates = join(dirname(database), 'letsencrypt'), ...options }) {
    const [{ readNpm }, { planNpm }, { readCertbotPair }, { readConfig }] = await Promise.all([
      import('./admin/npmDatabase.ts'),
      import('./admin/npmPlan.ts'),
      import('./admin/issuedPairs.ts'),
      import('./config.ts'),
    ]);
    const { tcpPorts } = readConfig(process.env);
    const pairOf = (lineage: string, domain: string) => readCertbotPair(certificates, lineage, domain);
    await carryOut(planNpm(readNpm(database), { tcpPorts, pairOf }), options);
  },
  async importCaddyfile(file, { envFile, ...options }) {
    const [{ readCaddyfile, readEnvironment }, { planCaddy }] = await Promise.all([
      import('./admin/caddyfile.ts'),
      import('./admin/caddyPlan.ts'),
    ]);
    const environment = envFile === undefined ? null : readEnvironment(envFile);
    await carryOut(planCaddy(readCaddyfile(file, environment)), options);
  },
  async importWiredoor(from, { apply = false, json, ...options }) {
    const [{ importWiredoor, outcomeText }, { wiredoorSource }] = await Promise.all([
      import('./admin/importWiredoor.ts'),
      import('./admin/wiredoorSource.ts'),
    ]);
    const outcome = await importWiredoor(process.env, { source: await wiredoorSource(from, options), apply });
    if (json === true) printJson(outcome);
    else process.stdout.write(`${outcomeText(outcome)}\n`);
    if (apply && outcome.obstacles.length > 0) process.exitCode = EXIT_CODES.failed.code;
  },
  async restore(file, { yes = false, json, ...options }) {
    const [{ restore, planText }, { keyOf }, { confirm }, { createProgress }] = await Promise.all([
      import('./admin/restore.ts'),
      import('./admin/keys.ts'),
      import('./admin/passphrase.ts'),
      import('./admin/progress.ts'),
    ]);
    const agrees = async (plan: Parameters<typeof planText>[0]): Promise<boolean> => {
      say(planText(plan));
      return yes || (await confirm('Restore it?'));
    };
    const done = await restore(process.env, { file, key: await keyOf(options), agrees, progress: createProgress() });
    say(done === null ? 'Nothing was changed.' : 'Restored. Start the gateway: systemctl start sallyport-gateway');
    if (done === null) process.exitCode = EXIT_CODES.failed.code;
    else if (json === true) printJson({ state: 'made', ...done });
  },
});

try {
  const words = process.argv.slice(2);
  await program.parseAsync(words.length === 0 ? ['start'] : words, { from: 'user' });
  process.exit();
} catch (error) {
  // The parser has said what is wrong, or helped.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : EXIT_CODES.usage.code);
  const isExpected = error instanceof StartError || error instanceof DatabaseError;
  const text = isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(codeOf(error).code);
}

function codeOf(error: unknown): (typeof EXIT_CODES)[keyof typeof EXIT_CODES] {
  if (error instanceof UsageError) return EXIT_CODES.usage;
  return error instanceof InterruptedError ? EXIT_CODES.interrupted : EXIT_CODES.failed;
}
