import { CommanderError } from 'commander';
import { check } from './admin/check.ts';
import { resetPassword } from './admin/resetPassword.ts';
import { createProgram } from './program.ts';
import { serve } from './start/serve.ts';
import { DatabaseError } from './store/open.ts';
import { StartError } from './machine/startError.ts';

const WRONG_USAGE = 2;

// Anyone who read what the gateway says may be gone; that is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const program = createProgram({
  start: () => serve(() => process.exit(1)),
  async check({ json }) {
    const findings = await check(process.env);
    const lines = findings.map(
      ({ isFine, what, text, fix }) =>
        `${isFine ? 'ok ' : 'FIX'}  ${what.padEnd(16)}${text}${fix === null ? '' : ` ${fix}`}`,
    );
    process.stdout.write(json === true ? `${JSON.stringify(findings, null, 2)}\n` : `${lines.join('\n')}\n`);
    process.exitCode = findings.every(({ isFine }) => isFine) ? 0 : 1;
  },
  async resetPassword() {
    const { username, password } = await resetPassword(process.env);
    process.stderr.write(`The password of ${username} is new, and everyone is signed out:\n`);
    process.stdout.write(`${password.reveal()}\n`);
  },
});

try {
  const words = process.argv.slice(2);
  await program.parseAsync(words.length === 0 ? ['start'] : words, { from: 'user' });
  process.exit();
} catch (error) {
  // The parser has said what is wrong, or helped.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : WRONG_USAGE);
  const isExpected = error instanceof StartError || error instanceof DatabaseError;
  const text = isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
