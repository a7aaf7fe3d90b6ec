import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from './exitCodes.ts';
import { type Actions, createProgram, EXAMPLES, leavesOf } from './program.ts';

const ACTIONS = [
  'start',
  'check',
  'health',
  'resetPassword',
  'backup',
  'restore',
  'importNpm',
  'importCaddyfile',
  'importWiredoor',
] as const;

/** What a command as it is written calls, and how the parser ends it: null where it does not. */
async function parse(written: string) {
  const called: unknown[][] = [];
  const actions = ACTIONS.map((name) => [
    name,
    async (...args: unknown[]) => void called.push([name, ...args.slice(0, -1)]),
  ]);
  const program = createProgram(Object.fromEntries(actions) as Actions);
  let out = '';
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])]) {
    command.exitOverride().configureOutput({ writeOut: (text) => void (out += text), writeErr: () => undefined });
  }
  try {
    await program.parseAsync(written.split(' '), { from: 'user' });
    return { called, out, end: null };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { called, out, end: error.exitCode };
  }
}

describe('a command as it is written', () => {
  it.each([
    '--nonsense',
    'import nonsense',
    'restore',
    'import wiredoor',
    'import caddyfile Caddyfile --node',
    'check more',
    'backup file --keep 0',
    'backup file --recipient age1 --passphrase-file file',
    'restore file --identity file --passphrase-file file',
  ])('is refused before anything begins: %s', async (written) => {
    expect(await parse(written)).toMatchObject({ called: [], end: 1 });
  });

  const leaves = leavesOf(createProgram({} as Actions)).map(({ words }) => words);

  it.each(leaves)('%s has help with examples that can be parsed, and with the exit codes', async (words) => {
    const { out, end } = await parse(`${words} --help`);
    expect(end).toBe(0);
    for (const { meaning } of Object.values(EXIT_CODES)) expect(out).toContain(meaning);
    const examples = EXAMPLES[words] ?? [];
    expect(examples).not.toHaveLength(0);
    for (const example of examples) {
      expect(out).toContain(`\n  ${example}\n`);
      const [, ...written] = example.replace('sudo ', '').replace(/ > .*/, '').split(' ');
      const parsed = await parse(written.join(' '));
      expect(parsed).toMatchObject({ end: null });
      expect(parsed.called).toHaveLength(words === 'version' ? 0 : 1);
    }
    expect(await parse(`${words} --nonsense`)).toMatchObject({ called: [], end: 1 });
  });

  it('has examples of commands that there are', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(leaves.toSorted());
  });
});
