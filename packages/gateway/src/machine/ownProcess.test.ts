import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nameOwnProcess } from './ownProcess.ts';

it('names this process, and leaves its title alone', () => {
  const [before, title] = [readFileSync('/proc/self/comm', 'utf8'), readFileSync('/proc/self/cmdline', 'utf8')];
  nameOwnProcess('sallyport-gateway');
  expect(readFileSync('/proc/self/comm', 'utf8')).toBe('sallyport-gatew\n');
  expect(readFileSync('/proc/self/cmdline', 'utf8')).toBe(title);
  writeFileSync('/proc/self/comm', before.trim());
});
