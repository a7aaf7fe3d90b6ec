import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createProgram } from './commandTree.ts';
import { topHelp } from './program.ts';

it.each([30, 80, 100, 200])('is the help that the parser would print, at %i columns', (columns) => {
  let printed = '';
  const program = createProgram({
    env: {},
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    fetch: () => Promise.reject(new Error('No gateway is asked here')),
    now: () => new Date(0),
    signal: new AbortController().signal,
  }).configureOutput({ getOutHelpWidth: () => columns, writeOut: (text) => (printed += text) });
  program.outputHelp();
  expect(topHelp(columns)).toBe(printed);
});
