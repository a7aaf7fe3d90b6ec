import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProgram } from '../packages/gateway/src/program.ts';

const root = join(import.meta.dirname, '..');
const read = (path) => readFileSync(join(root, path), 'utf8');

/** The commands of `docs/cli.md`, which a test of its own holds fresh, each with its flags. */
function commandsOfCli() {
  const flagsIn = (text) => new Set([...text.matchAll(/^\| `(--[\w-]+)/gm)].map(([, flag]) => flag));
  const chapters = read('docs/cli.md').split(/^## /m);
  const everywhere = flagsIn(chapters.find((chapter) => chapter.startsWith('Flags of every command')));
  const ofCommands = chapters.filter((chapter) => chapter.startsWith('sallyport '));
  return new Map(
    ofCommands.map((chapter) => {
      const [heading = ''] = chapter.split(/ <| \[|\n/);
      return [
        heading,
        flagsIn(chapter)
          .union(everywhere)
          .union(new Set(['--help', '--version'])),
      ];
    }),
  );
}

function commandsOfGateway(command = createProgram(/** @type {any} */ ({})), path = command.name()) {
  const flags = new Set(command.options.map(({ long }) => long)).add('--help');
  const inner = command.commands.flatMap((each) => [...commandsOfGateway(each, `${path} ${each.name()}`)]);
  return new Map([[path, flags], ...inner]);
}

const commands = new Map([...commandsOfCli(), ...commandsOfGateway()]);

/** What is wrong with a command as it is written; undefined: nothing. `sallyport token` may stand for all that begin so. */
function problemOf(written) {
  const words = written.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? [];
  let path = words[0] ?? '';
  for (const word of words.slice(1)) {
    const next = `${path} ${word}`;
    if (![...commands.keys()].some((known) => known === next || known.startsWith(`${next} `))) break;
    path = next;
  }
  const rest = words.slice(path.split(' ').length);
  const isGroup = [...commands.keys()].some((known) => known.startsWith(`${path} `));
  if (isGroup && /^[a-z]/.test(rest[0] ?? '')) return `${written}: there is no ${path} ${rest[0]}`;
  const flags = commands.get(path) ?? new Set(['--help', '--version']);
  const unknown = rest.map((word) => word.replace(/=.*/, '')).find((word) => /^--\w/.test(word) && !flags.has(word));
  return unknown === undefined ? undefined : `${written}: ${path} has no ${unknown}`;
}

const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`);

it.each(['README.md', 'SECURITY.md', 'docs/operating.md', ...guides])(
  '%s names commands and flags that there are',
  (path) => {
    const blocks = [...read(path).matchAll(/```(?:sh|console)\n([\s\S]*?)```|`([^`\n]+)`/g)];
    const lines = blocks.flatMap(([, block, inline]) => (block ?? inline ?? '').replaceAll(/\\\n\s*/g, '').split('\n'));
    const written = lines.flatMap(
      (line) => line.match(/(?<=^|sudo |[$|;&(] ?)sallyport(?:-gateway)?(?= )[^|;<&)]*/g) ?? [],
    );
    expect(written.map(problemOf).filter(Boolean)).toEqual([]);
  },
);

it('would notice a command or a flag that is gone', () => {
  expect(problemOf('sallyport join-key list')).toBeUndefined();
  expect(problemOf('sallyport join-key print')).toContain('there is no');
  expect(problemOf('sallyport-gateway backup FILE --all')).toContain('has no --all');
});

it('has the command that the package says in the end', () => {
  const said = /^ *echo "sallyport-gateway: it starts\. .*: (sudo .*)"$/m.exec(
    read('packages/gateway/debian/postinst'),
  )?.[1];
  expect(said).toMatch(/^sudo journalctl /);
  expect(read('docs/guide/server.md').split('\n')).toContain(said);
});
