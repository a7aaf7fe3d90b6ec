import type { Argument, Command, Option } from 'commander';
import type { Described } from '../commandTree.ts';

/** What a reference says of one command. */
export function chapter({ leaf, examples }: Described): string[] {
  return [
    `## ${[pathOf(leaf), ...leaf.registeredArguments.map(wordOf)].join(' ')}`,
    leaf.description(),
    ...(leaf.registeredArguments.length > 0
      ? [table(['Word', 'Meaning'], leaf.registeredArguments.map(argumentRow))]
      : []),
    ...(leaf.options.length > 0 ? [table(['Flag', 'Meaning'], leaf.options.map(optionRow))] : []),
    ['```sh', ...examples, '```'].join('\n'),
  ];
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

export const optionRow = ({ flags, description, argChoices, defaultValue }: Option) => [
  `\`${flags}\``,
  `${description}${choicesOf(argChoices)}${defaultValue === undefined ? '' : `; else \`${String(defaultValue)}\``}`,
];

const argumentRow = (argument: Argument) => [
  `\`${wordOf(argument)}\``,
  `${argument.description}${choicesOf(argument.argChoices)}`,
];

const wordOf = (argument: Argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`);

const choicesOf = (choices: readonly string[] | undefined) =>
  choices ? `; one of ${choices.map((choice) => `\`${choice}\``).join(', ')}` : '';

/** A table in Markdown. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), `|${headings.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
