import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

const HAND_OVER = new URL('handOver.mjs', import.meta.url).href;

/** A process that hands over to a program written as JavaScript, and ends with its code. */
function handingOverTo(program, options = {}) {
  const parent = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { handOver } from ${JSON.stringify(HAND_OVER)};
     process.exitCode = await handOver(process.execPath, ['-e', ${JSON.stringify(program)}], ${JSON.stringify(options)});`,
  ]);
  const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
  return { parent, ended: once(parent, 'exit'), nextLine: async () => (await lines.next()).value };
}

it('ends with the exit code of the program', async () => {
  const { ended } = handingOverTo('process.exit(7)');
  expect(await ended).toEqual([7, null]);
});

it('ends with 128 + n when signal n ended the program', async () => {
  const { ended } = handingOverTo('process.kill(process.pid, "SIGTERM")');
  expect(await ended).toEqual([143, null]);
});

it('passes a signal on once, however often it arrives at the same moment', async () => {
  const { parent, ended, nextLine } = handingOverTo(`
    let interrupts = 0;
    process.on('SIGINT', () => { interrupts += 1; console.log('interrupted'); });
    process.on('SIGTERM', () => process.exit(interrupts));
    setInterval(() => {}, 1000);
    console.log('ready');
  `);
  expect(await nextLine()).toBe('ready');
  parent.kill('SIGINT');
  expect(await nextLine()).toBe('interrupted');
  parent.kill('SIGINT');
  parent.kill('SIGTERM');
  expect(await ended).toEqual([1, null]);
});

it('ends a program that takes longer than it may', async () => {
  const { ended } = handingOverTo('setInterval(() => {}, 1000)', { limitMs: 100, group: true });
  expect(await ended).toEqual([143, null]);
});
