import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

const HAND_OVER = new URL('handOver.mjs', import.meta.url).href;

/** A process that hands over to a program written as JavaScript, and ends with its code; `before` runs first. */
function handingOverTo(program, options = {}, before = '') {
  const parent = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { handOver } from ${JSON.stringify(HAND_OVER)};
     ${before}
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

it('passes a signal on once that arrives twice at the same moment', async () => {
  const program = "process.on('SIGINT', () => process.exit(3)); setInterval(() => {}, 1000); console.log('ready');";
  // Signals that are sent from here would arrive whenever the machine gets to it.
  const before = `
    performance.now = () => 1000;
    const kill = process.kill.bind(process);
    process.kill = (pid, signal) => { console.log('sent ' + signal); return kill(pid, signal); };
    process.on('SIGUSR2', () => { for (let time = 0; time < 2; time += 1) process.emit('SIGINT', 'SIGINT'); });
  `;
  const { parent, ended, nextLine } = handingOverTo(program, {}, before);
  expect(await nextLine()).toBe('ready');
  parent.kill('SIGUSR2');
  expect(await nextLine()).toBe('sent SIGINT');
  expect(await ended).toEqual([3, null]);
  expect(await nextLine()).toBeUndefined();
});

it('ends a program that takes longer than it may', async () => {
  const { ended } = handingOverTo('setInterval(() => {}, 1000)', { limitMs: 100, group: true });
  expect(await ended).toEqual([143, null]);
});
