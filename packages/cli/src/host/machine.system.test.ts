import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createMachine } from './machine.ts';

it.each([
  ['that has an answer', 0, true],
  ['that has none', 1, false],
  ['that could not ask', 2, true],
])('after a ping %s (%i), says that the address answers: %s', async (_, code, answers) => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-machine-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const ping = join(directory, 'ping');
  writeFileSync(ping, `#!/bin/sh\nexit ${code}\n`);
  chmodSync(ping, 0o755);
  expect(await createMachine({ PATH: directory }, []).answersPing('192.0.2.1')).toBe(answers);
});
