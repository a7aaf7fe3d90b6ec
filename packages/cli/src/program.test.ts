import { describe, expect, it } from 'vitest';
import manifest from '../package.json';
import { ENTRIES } from './entries.ts';
import { EXIT_CODES } from './failure.ts';
import { createShell } from './testing/shell.ts';
import { PassThrough } from 'node:stream';
import { createProgram } from './commandTree.ts';
import { topHelp } from './program.ts';

const nowhere = () => Promise.reject(new Error('No gateway is asked here'));
const commands = ENTRIES.map(({ path }) => path);

describe('the command line', () => {
  it('says its version', async () => {
    expect(await createShell(nowhere).run(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
  });

  it.each([[[]], [['--help']], [['help']], [['node']]])('shows what there is for %j', async (argv) => {
    const { code, out, err } = await createShell(nowhere).run(argv);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Usage: sallyport/);
    expect(out).toContain('Commands:');
  });

  it('says what each exit code means, as the guide is not on every machine', async () => {
    const { out } = await createShell(nowhere).run(['--help']);
    for (const { code, meaning } of Object.values(EXIT_CODES))
      expect(out).toContain(`  ${String(code).padEnd(5)}${meaning}\n`);
  });

  it.each(commands)('explains `%s %s`, with an example and more of each flag than its name', async (...path) => {
    const words = path.filter((word) => word !== undefined);
    const { code, out, err } = await createShell(nowhere).run([...words, '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Usage: sallyport ${words.join(' ')}`);
    expect(out).toContain('Global Options:');
    expect(out).not.toContain('docs/');
    expect(out).toMatch(/Examples:\n {2}[^\n]*sallyport/);
    expect(await createShell(nowhere).run(['help', ...words])).toEqual({ code, out, err });
    const flags = Array.from(out.matchAll(/^ {2}(?:-\w, )?--(?:no-)?([\w-]+)(?: <[^>]+>)? {2,}(\S.*)$/gm));
    expect(flags.length).toBeGreaterThan(7);
    for (const [, name = '', text = ''] of flags) {
      expect(text.toLowerCase()).not.toBe(name.replaceAll('-', ' '));
      expect(text).toMatch(/\S \S/);
      expect(text).not.toMatch(/null|`/);
    }
    const unknown = "sallyport: Unknown option '--bogus'. See --help.\n";
    expect(await createShell(nowhere).run([...words, '--bogus'])).toEqual({ code: 2, out: '', err: unknown });
  });

  it.each(commands)('says which word is missing of `%s %s`', async (...path) => {
    const words = path.filter((word) => word !== undefined);
    const { out } = await createShell(nowhere).run([...words, '--help']);
    // Not every command needs one.
    if (!/^Usage: [^\n]* </.test(out)) return;
    const missing = expect.stringMatching(/^sallyport: Missing required argument[^\n]+\n$/);
    expect(await createShell(nowhere).run(words)).toEqual({ code: 2, out: '', err: missing });
  });

  it('leaves out what only a form remembers', async () => {
    const { out } = await createShell(nowhere).run(['node', 'create', '--help']);
    expect(out).toContain('--is-gateway');
    expect(out).not.toContain('--advanced');
    expect((await createShell(nowhere).run(['node', 'edit', 'edge', '--advanced'])).code).toBe(2);
  });

  it.each([
    [['nod', 'list'], "sallyport: Unknown command 'nod'. (Did you mean node?)\n"],
    [['node', 'lits'], "sallyport: Unknown command 'lits'. (Did you mean list?)\n"],
    [['node', 'list', 'more'], "sallyport: Too many arguments for 'list'. Expected 0 arguments but got 1: more."],
    [['node', 'list', '--limit'], "sallyport: Option '--limit <n>' argument missing. See --help.\n"],
    [['node', 'list', '--limit', 'x'], 'sallyport: --limit must be a number. See --help.\n'],
    [['node', 'list', '--limit', '0'], 'sallyport: --limit must be greater than or equal to 1. See --help.\n'],
    [['node', 'list', '--type', 'x'], 'sallyport: --type must be one of [nodes, gateways]. See --help.\n'],
    [['node', 'list', '--profile', '../x'], 'sallyport: "../x" cannot be the name of a profile.'],
    [['node', 'list', '--url', 'ftp://x'], 'sallyport: A gateway is reached by https, not by ftp.'],
    [['top'], 'sallyport: top draws on a terminal.'],
    [['logs'], 'sallyport: Say whose log: either --service or --domain. See --help.\n'],
    [['logs', '--service', 'a', '--domain', 'a.example'], 'sallyport: Say whose log'],
    [['logs', '--domain', 'a.example', '--node', '1'], 'sallyport: --node and --type tell services apart'],
    [['logs', '--service', 'a', '--grep', '('], 'sallyport: --grep: "(" is not a regular expression.'],
    [['logs', '--service', 'a', '--lines', '10001'], 'sallyport: --lines must be less than or equal to 10000.'],
    [
      ['login', '--operator', '--gateway'],
      'sallyport: --operator makes no node of this host, so it takes no --gateway.',
    ],
  ])('answers %j with a sentence and exit code 2', async (argv, sentence) => {
    const { code, out, err } = await createShell(nowhere).run(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.split('\n')).toHaveLength(2);
  });
});

it.each([30, 80, 100, 200])('is the help that the parser would print, at %i columns', (columns) => {
  let printed = '';
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const program = createProgram({ env: {}, stdin, stdout, stderr, fetch: nowhere, now: () => new Date(0), signal });
  program.configureOutput({ getOutHelpWidth: () => columns, writeOut: (text) => (printed += text) }).outputHelp();
  expect(topHelp(columns)).toBe(printed);
});
