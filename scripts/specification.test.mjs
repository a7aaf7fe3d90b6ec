import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const sections = readFileSync(join(root, 'docs/specification.md'), 'utf8').split(/^## /m).slice(1);
const TEST = /\.(?:test\.(?:tsx?|mjs)|e2e\.ts)$/;

/** Whether it is a file of tests, or a folder with one in it. @param {string} path */
const holdsTests = (path) =>
  (statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory()
    ? globSync('**/*', { cwd: join(root, path) })
    : globSync(path, { cwd: root })
  ).some((file) => TEST.test(file));

it.each(sections.map((section) => [section.split('\n', 1)[0], section]))(
  'the section "%s" names tests that exist',
  (_title, section) => {
    const named = /^Tests: [^]*/m.exec(section)?.[0] ?? '';
    const paths = [...named.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => !holdsTests(path))).toEqual([]);
  },
);
