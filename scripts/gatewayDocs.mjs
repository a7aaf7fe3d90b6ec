import { completionScript } from '../packages/cli/src/ui/completionScript.ts';
import { treeOf } from '../packages/cli/src/commandTree.ts';
import { chapter, optionRow, table } from '../packages/cli/src/ui/chapter.ts';
import { EXIT_CODES } from '../packages/gateway/src/exitCodes.ts';
import { createProgram, EXAMPLES, leavesOf } from '../packages/gateway/src/program.ts';
import { plain } from './package/debian.mjs';

/** `sallyport-gateway` as it is described: nothing of it is run. */
const program = createProgram(/** @type {any} */ ({}));
const leaves = leavesOf(program).map(({ words, command }) => ({ leaf: command, examples: EXAMPLES[words] ?? [] }));
const exitCodes = Object.values(EXIT_CODES);
const ABOUT =
  'It runs where the gateway does, as its account. Settings are environment variables; the command of the Debian package also reads /etc/sallyport/gateway.env. Results go to standard output, progress and errors to standard error.';
const FILES = [
  ['/etc/sallyport/gateway.env', 'The settings, each with what it does. What the environment has wins over it.'],
  ['/var/lib/sallyport', 'What the gateway keeps, unless SALLYPORT_DATA names another directory.'],
];

/** @param {'bash' | 'zsh' | 'fish'} shell */
export const gatewayCompletion = (shell) => completionScript(shell, treeOf(program));

/** `docs/gateway-command.md`: all commands of the gateway's program in Markdown. */
export function gatewayReference() {
  return `${[
    '# The command of the gateway',
    '<!-- Generated from the commands by `pnpm generate`; a test fails when it is stale. -->',
    `\`sallyport-gateway\`: ${program.description()} ${ABOUT} [operating.md](operating.md#settings) has the settings; other machines are for [sallyport](cli.md).`,
    ...leaves.flatMap(chapter),
    '## Flags of every command',
    table(['Flag', 'Meaning'], [...program.options.map(optionRow), ['`-h, --help`', 'display help for command']]),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      exitCodes.map(({ code, meaning }) => [String(code), meaning]),
    ),
    '## Output',
    OUTPUT,
  ].join('\n\n')}\n`;
}

const OUTPUT = `With \`--json\` standard output is one document, of a command that was refused or failed none. Only \`reset-password\` prints a secret.

| Command | Document |
|---|---|
| \`check\` | \`[{ "what", "state", "text", "fix", "command" }, …]\`; \`state\` is \`ok\`, \`warning\` or \`failed\`; \`fix\` is what to do, with the \`command\` at its end, both null where all is well |
| \`reset-password\` | \`{ "username", "password" }\` |
| \`backup\` | \`{ "file", "bytes", "version", "createdAt", "files" }\`: \`files\` are the paths in it, \`version\` is that of the gateway; not for standard output |
| \`restore\` | \`{ "state", "from": { "version", "createdAt" }, "nodes", "domains", "services", "tokens", "directory", "keptAs" }\`; \`state\` is \`made\`; \`keptAs\` is where what was there is kept, null where nothing was |
| \`import nginx-proxy-manager\`, \`import caddyfile\` | \`{ "domains": [{ "domain", "state", "reason" }, …], "outcomes": [{ "service", "state", "reason" }, …], "left": [{ "what", "why" }, …] }\`; \`state\` is \`new\`, \`made\`, \`there\` or \`failed\` |
| \`import wiredoor\` | \`{ "state", "plan", "certificates", "obstacles", "directory" }\`; \`state\` is \`new\`, \`made\` or \`there\` |
| \`version\` | \`{ "version" }\` |

\`health\` prints what the gateway answers, which is JSON, or a sentence where none answers.`;

/** A term and what it means, as roff. */
const item = (term, text) => ['.TP', `.B ${plain(term)}`, plain(text)];

/** @param {{ description: string, defaultValue?: string }} option */
const meaningOf = ({ description, defaultValue }) =>
  defaultValue === undefined ? description : `${description}; else ${defaultValue}`;

/**
 * The manual page `sallyport-gateway(8)`.
 * @param {{ version: string, synopsis: string }} facts
 */
export function gatewayManual({ version, synopsis }) {
  const usage = ({ leaf }) =>
    [
      ...(leaf.parent === program ? [] : [leaf.parent.name()]),
      leaf.name(),
      ...(leaf.options.length === 0 ? [] : ['[flags]']),
      ...leaf.registeredArguments.map((argument) => `<${argument.name()}>`),
    ].join(' ');
  return `${[
    `.TH SALLYPORT\\-GATEWAY 8 "" "sallyport\\-gateway ${plain(version)}" "System Administration"`,
    '.SH NAME',
    `sallyport\\-gateway \\- ${plain(synopsis)}`,
    '.SH SYNOPSIS',
    ...leaves.flatMap((each) => ['.B sallyport\\-gateway', plain(usage(each)), '.br']),
    '.SH DESCRIPTION',
    plain(`${program.description()} ${ABOUT}`),
    '.SH COMMANDS',
    ...leaves.flatMap((each) => [
      `.SS ${plain(usage(each))}`,
      plain(each.leaf.description()),
      ...each.leaf.registeredArguments.flatMap((argument) => item(`<${argument.name()}>`, argument.description)),
      ...each.leaf.options.flatMap((option) => item(option.flags, meaningOf(option))),
    ]),
    '.SH "EXIT STATUS"',
    ...exitCodes.flatMap(({ code, meaning }) => item(String(code), meaning)),
    '.SH FILES',
    ...FILES.flatMap(([path = '', text = '']) => ['.TP', `.I ${plain(path)}`, plain(text)]),
    '.SH EXAMPLES',
    '.nf',
    ...leaves.flatMap(({ examples }) => examples.map(plain)),
    '.fi',
    '.SH "SEE ALSO"',
    '.BR sallyport (1)',
  ].join('\n')}\n`;
}
