import { Command as Commander, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { AnyCommand, CommandTree, Globals, Environment } from './context.ts';
import {
  ABOUT,
  AFTER_HELP,
  ENTRIES,
  GLOBAL_FLAGS,
  GROUPS,
  HELP_FLAG,
  TEXT_MIN_COLUMNS,
  VERSION_FLAG,
} from './entries.ts';

/** Builds the command tree. A command's own file is loaded when it is about to be parsed. */
export function createProgram(environment: Environment): Commander {
  const write = (text: string) => void environment.stdout.write(text);
  const program = new Commander('sallyport')
    .description(ABOUT)
    .version(manifest.version, ...VERSION_FLAG)
    .helpOption(...HELP_FLAG)
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: TEXT_MIN_COLUMNS })
    // Help goes to standard output, errors are told by anyone who catches them.
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined })
    .exitOverride()
    .addHelpText('after', `\n${AFTER_HELP}`);
  for (const [flags, text] of GLOBAL_FLAGS) program.addOption(new Option(flags, text));

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
    loaders.set(leaf, async () => furnish(leaf, await load(), environment));
  }
  return program;
}

/** Gives a command its words, its flags, its help and its work. */
async function furnish(leaf: Commander, definition: AnyCommand, environment: Environment): Promise<void> {
  const { checkFlags, parametersOf } = await import('./flags.ts');
  const { options, words } = parametersOf(definition);
  for (const word of words) leaf.addArgument(word);
  for (const option of options) leaf.addOption(option);
  leaf.description(definition.description);
  leaf.addHelpText('after', ['', 'Examples:', ...definition.examples.map((line) => `  ${line}`)].join('\n'));
  leaf.action(async () => {
    const { createContext } = await import('./context.ts');
    const typed: Record<string, unknown> = leaf.opts();
    for (const [at, name] of (definition.words ?? []).entries()) {
      if (leaf.processedArgs[at] !== undefined) typed[name] = leaf.processedArgs[at];
    }
    const tree = async () => treeOf((await describeAll(environment)).program);
    await definition.run(createContext(environment, globalsOf(leaf), tree), checkFlags(definition, typed));
  });
}

/** The values of the flags that every command has; a command's own flag of the same name is another thing. */
const globalsOf = (leaf: Commander): Globals => {
  let root = leaf;
  while (root.parent) root = root.parent;
  return root.opts<Globals>();
};

/** What words are called that name something on the disk. */
const FILES: ReadonlySet<string> = new Set(['file', 'directory', 'database', 'source']);

/** The tree as a value, without the library that parses by it. */
export function treeOf(command: Commander): CommandTree {
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
    takesFile: command.registeredArguments.some((argument) => FILES.has(argument.name())),
    commands: command.commands.map(treeOf),
  };
}

/** A command as documents describe it. */
export type Described = { leaf: Commander; examples: readonly string[] };

/** Loads every command, for anyone who wants to see the whole tree. */
export async function describeAll(environment: Environment): Promise<{ program: Commander; commands: Described[] }> {
  const program = createProgram(environment);
  const commands = await Promise.all(
    ENTRIES.map(async ({ path, load }) => {
      const leaf = path.reduce((at, name) => at.commands.find((next) => next.name() === name) ?? at, program);
      const definition = await load();
      await furnish(leaf, definition, environment);
      return { leaf, examples: definition.examples };
    }),
  );
  return { program, commands };
}
