import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { generatedDocs } from './generatedDocs.mjs';

it.each(generatedDocs.map(({ path, text }) => [basename(path), path, text]))('%s is fresh', (name, path, text) => {
  expect(readFileSync(path, 'utf8') === text, `${name} is stale: run \`pnpm generate\``).toBe(true);
});
