import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OLDEST_NODE, nodeProblem } from './nodeVersion.ts';

it.each(['22.12.0', '22.20.1', '23.0.0', '24.15.0', '26.1.0'])('is content with Node %s', (version) => {
  expect(nodeProblem(version)).toBeNull();
});

it.each(['16.20.2', '18.19.0', '20.19.2', '22.11.0'])('says in a sentence that Node %s is too old', (version) => {
  expect(nodeProblem(version)).toMatch(new RegExp(`^This is Node ${version}, and sallyport needs 22.12 or newer\\.`));
});

it('says what the package says', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(engines.node).toBe(`>=${OLDEST_NODE}`);
});
