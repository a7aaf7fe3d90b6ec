import { Command as Commander, CommanderError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { AnyCommand, CommandTree, Globals, Outside } from './context.ts';
import { ENDINGS, Failure } from './failure.ts';
import { HOST_ENTRIES } from './hostEntries.ts';
import { OPERATOR_ENTRIES } from './operatorEntries.ts';

/** One command: where it stands in the tree, and the file that is loaded when it is used. */
export type Entry = { path: readonly [string, ...string[]]; summary: string; load: () => Promise<AnyCommand> };

/** The tree. A command's file is found by its path: `node list` is `commands/node/list.ts`. */
export const ENTRIES: readonly Entry[] = [...HOST_ENTRIES, ...OPERATOR_ENTRIES];

/** What stands between the program and its commands. */
const GROUPS: Readonly<Record<string, string>> = {
  profile: 'The gateways that this user is signed in to.',
  node: 'Nodes and gateways.',
  domain: 'The names that the gateway answers for.',
  service: 'What visitors can reach, and the service of this host that keeps it connected.',
  'service create': 'Expose something new.',
  token: 'The access tokens by which nodes sign in.',
};

const ABOUT = 'Operate a Sallyport gateway from the command line.';

/** The flags that every command has; `Globals` holds their values. */
const GLOBAL_OPTIONS = [
  new Option('--profile <name>', 'the session to use (else SALLYPORT_PROFILE, else "default")'),
  new Option('--url <url>', 'the gateway (else SALLYPORT_URL, else the address of the profile)'),
  new Option('--config <file>', "the host's configuration (else SALLYPORT_CONFIG, else /etc/sallyport/config.json)"),
  new Option('--json', 'print JSON of a fixed shape'),
  new Option('--quiet', 'print no messages, only results and errors'),
  new Option('--no-input', 'never ask; fail instead'),
  new Option('--no-color', 'print no colours (NO_COLOR does the same)'),
];

/** Builds the command tree. A command's own file is loaded when it is about to be parsed. */
export function createProgram(outside: Outside): Commander {
  const write = (text: string) => void outside.stdout.write(text);
  const program = new Commander('sallyport')
    .description(ABOUT)
    .version(manifest.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    // Help goes to standard output, errors are told by whoever catches them.
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined })
    .exitOverride()
    .addHelpText(
      'after',
      `\nExit codes: ${Object.values(ENDINGS)
        .map(({ code }) => code)
        .join(', ')}; docs/cli.md says what each means.`,
    );
  for (const option of GLOBAL_OPTIONS) program.addOption(option);

  const loaders = new Map<Commander, () => Promise<void>>();
  const loadFirst = async (_parent: Commander, next: Commander) => loaders.get(next)?.();
  program.hook('preSubcommand', loadFirst);

  const groups = new Map<string, Commander>();
  for (const { path, summary, load } of ENTRIES) {
    let parent = program;
    for (const [at, name] of path.slice(0, -1).entries()) {
      const place = path.slice(0, at + 1).join(' ');
      const group =
        groups.get(place) ??
        parent
          .command(name)
          .description(GROUPS[place] ?? '')
          .helpCommand(false)
          .hook('preSubcommand', loadFirst);
      groups.set(place, group);
      parent = group;
    }
    const leaf = parent
      .command(path.at(-1) ?? '')
      .summary(summary)
      .description(summary);
    loaders.set(leaf, async () => furnish(leaf, await load(), outside));
  }
  return program;
}

/** Gives a command its words, its flags, its help and its work. */
async function furnish(leaf: Commander, definition: AnyCommand, outside: Outside): Promise<void> {
  const { argumentsOf, checkFlags, optionsOf } = await import('./flags.ts');
  for (const argument of argumentsOf(definition)) leaf.addArgument(argument);
  for (const option of optionsOf(definition)) leaf.addOption(option);
  leaf.description(definition.description);
  leaf.addHelpText('after', ['', 'Examples:', ...definition.examples.map((line) => `  ${line}`)].join('\n'));
  leaf.action(async () => {
    const { createContext } = await import('./context.ts');
    const words = Object.entries(definition.words ?? []).flatMap(([at, field]) => {
      const word: unknown = leaf.processedArgs[Number(at)];
      return word === undefined ? [] : [[field, word]];
    });
    const typed = { ...leaf.opts(), ...Object.fromEntries(words) };
    const tree = async () => treeOf((await describeAll(outside)).program);
    await definition.run(createContext(outside, globalsOf(leaf), tree), checkFlags(definition, typed));
  });
}

/** The values of the flags that every command has; a command's own flag of the same name is another thing. */
const globalsOf = (leaf: Commander): Globals => {
  let root = leaf;
  while (root.parent) root = root.parent;
  return root.opts<Globals>();
};

/** The tree as a value, without the library that parses by it. */
function treeOf(command: Commander): CommandTree {
  return {
    name: command.name(),
    description: command.summary() || command.description(),
    options: command.options.map(({ flags, long, required, description, argChoices = [] }) => ({
      flags,
      long: long ?? flags,
      takesValue: required,
      description,
      choices: argChoices,
    })),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    commands: command.commands.map(treeOf),
  };
}

/** A command as documents describe it. */
export type Described = { leaf: Commander; examples: readonly string[] };

/** Loads every command, for whoever wants to see the whole tree. */
export async function describeAll(outside: Outside): Promise<{ program: Commander; commands: Described[] }> {
  const program = createProgram(outside);
  const commands = await Promise.all(
    ENTRIES.map(async ({ path, load }) => {
      const leaf = path.reduce((at, name) => at.commands.find((next) => next.name() === name) ?? at, program);
      const definition = await load();
      await furnish(leaf, definition, outside);
      return { leaf, examples: definition.examples };
    }),
  );
  return { program, commands };
}

/**
 * Runs the command that `argv` (without the program's name) asks for and returns its exit code. Everything that goes
 * wrong ends as one sentence and the next step on standard error.
 */
export async function run(argv: readonly string[], outside: Outside): Promise<number> {
  try {
    const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
    await createProgram(outside).parseAsync(words, { from: 'user' });
    await written(outside.stdout);
    return ENDINGS.done.code;
  } catch (error) {
    if (error instanceof CommanderError) return usage(error, outside);
    const { explain } = await import('./explain.ts');
    return tell(explain(error, outside.signal), outside);
  }
}

/** Fulfilled when all that was written is out; what was lost on the way is no success. */
const written = (stdout: Outside['stdout']) =>
  new Promise<void>((resolve, reject) => {
    stdout.write('', (error) => {
      const failure = stdout.errored ?? error;
      if (failure) reject(failure);
      else resolve();
    });
  });

/** Help that was asked for, or that a bare group shows, is done; everything else is wrong usage. */
function usage(error: CommanderError, outside: Outside): number {
  if (
    error.code === 'commander.help' ||
    error.code === 'commander.helpDisplayed' ||
    error.code === 'commander.version'
  ) {
    return ENDINGS.done.code;
  }
  const [sentence = '', hint] = error.message.replace(/^error: /, '').split('\n');
  const upper = `${sentence[0]?.toUpperCase() ?? ''}${sentence.slice(1)}`;
  return tell(new Failure('usage', `${upper}${/[.?!]$/.test(upper) ? '' : '.'}`, hint ?? 'See --help.'), outside);
}

function tell(failure: Failure | null, outside: Outside): number {
  if (failure === null) return ENDINGS.done.code;
  if (failure.ending !== 'interrupted') {
    outside.stderr.write(`sallyport: ${[failure.message, failure.next].filter((part) => part !== null).join(' ')}\n`);
  }
  return ENDINGS[failure.ending].code;
}
