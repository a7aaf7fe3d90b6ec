import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cliReference } from './reference.ts';

it('docs/cli.md is what the commands say; `pnpm generate` writes it again', async () => {
  expect(readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')).toBe(await cliReference());
});
