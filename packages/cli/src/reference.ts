import { PassThrough } from 'node:stream';
import { EXIT_CODES } from './failure.ts';
import { describeAll } from './commandTree.ts';
import { JSON_VERSION } from './io.ts';
import { chapter, optionRow, table } from './ui/chapter.ts';

/** Environment variables that the command reads, next to the flags. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  SALLYPORT_URL: 'The address of the gateway, where `--url` is not given.',
  SALLYPORT_USERNAME: 'The name to sign in with.',
  SALLYPORT_PASSWORD: 'The password to sign in with. It is never a flag: other users of a machine can read those.',
  SALLYPORT_PROFILE: 'The profile, where `--profile` is not given.',
  SALLYPORT_CONFIG_DIR: "The directory of the configuration; else the user's own, e.g. `~/.config/sallyport`.",
  SALLYPORT_CONFIG: "The host's configuration, where `--config` is not given; else `/etc/sallyport/config.json`.",
  SALLYPORT_TOKEN: "The node's token, for `config` and `connect`. It is never a flag.",
  NO_COLOR: 'Set to anything, there are no colours.',
  FORCE_COLOR: 'Set to anything but `0`, there are colours also where no terminal is.',
};

/** `docs/cli.md`: the whole command tree in Markdown, made from the commands themselves. */
export async function cliReference(): Promise<string> {
  const { program, commands } = await describeAll({
    env: {},
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    fetch: () => Promise.reject(new Error('The reference asks no gateway')),
    now: () => new Date(0),
    signal: new AbortController().signal,
  });
  return `${[
    '# The command line',
    '<!-- Generated from the commands by `pnpm generate`; a test fails when it is stale. -->',
    `${program.description()} Results go to standard output, everything else to standard error. Things are named by their name, or by their id; an empty value (\`--dns ''\`) takes one away.`,
    ...commands.flatMap(chapter),
    '## Flags of every command',
    table(['Flag', 'Meaning'], program.options.filter(({ long }) => long !== '--version').map(optionRow)),
    '## Environment',
    table(
      ['Variable', 'Meaning'],
      Object.entries(ENVIRONMENT).map(([name, text]) => [`\`${name}\``, text]),
    ),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
    ),
    'A reader that stops early (`sallyport logs … | head`) is no failure: 0.',
    '## Output',
    OUTPUT,
  ].join('\n\n')}\n`;
}

const OUTPUT = `On a terminal a list is a table. Piped it is one line a row: exact values between tabs, without headings and colours.
A single thing, as \`show\`, \`create\` and \`edit\` print it, is one line a field: its name as in JSON, a tab, the exact value; nothing where there is none.
Control characters in names and log lines are shown escaped (\`\\x1b\`), so that no text can steer a terminal.

With \`--json\` every document has \`"version": ${JSON_VERSION}\`. Within a version fields are only added, never changed or taken away.

| Command | Document |
|---|---|
| \`login --operator\` | \`{ "version", "profile", "url", "username", "expiresAt" }\` |
| \`logout\` | \`{ "version", "profile", "url" }\`; \`url\` is null when no one was signed in |
| \`login\`, \`join\`, \`connect\` | \`{ "version", "url", "id", "name", "address", "isConnected" }\` |
| \`http\`, \`tcp\`, \`enable\` | \`{ "version", "type", "change", "domainCreated", "service" }\`; \`change\` is \`created\`, \`changed\` or \`unchanged\`; with \`--foreground\` the requests follow as in \`logs\` |
| \`config\` | \`{ "version", "url", "file", "interface" }\` |
| \`disconnect\` | \`{ "version", "wasConnected", "isConnected" }\` |
| \`disable\` | \`{ "version", "type", "service" }\` |
| \`gateway\` | \`{ "version", "node" }\` |
| \`regenerate\` | \`{ "version", "id", "name", "isConnected" }\` |
| \`service install\`, \`service status\` | \`{ "version", "unit", "isInstalled", "isActive", "isEnabled" }\` |
| \`service uninstall\` | \`{ "version", "wasInstalled" }\` |
| \`status\` | \`{ "version", "link", "isConnected", "url", "interface", "tunnel", "node", "gatewayProblem" }\`; \`link\` is \`unconfigured\`, \`down\`, \`waiting\` or \`up\`; with \`--health\` the first three alone |
| every \`list\` | \`{ "version", "data": [row, …], "page", "limit", "total" }\`; the fields of a row are in [api.md](api.md), a service also has its \`type\`. With \`--watch\` one such document a line, whenever something changes |
| every \`show\`, \`create\` and \`edit\`; \`enable\` and \`disable\` of a node or, as an operator, of a service | \`{ "version", "data": thing }\`; a \`token\` or \`code\` that was made is in it, this once |
| \`node config\` | \`{ "version", "data": { "id", "name", "fileName", "config" } }\` |
| every \`delete\`; \`token revoke\` | \`{ "version", "deleted": { "id", "name" } }\`, of a service with its \`type\`; \`"revoked"\` |
| \`open\` | \`{ "version", "data": { "url" } }\` |
| \`doctor\` | \`{ "version", "data": [{ "step", "state", "finding", "fix" }, …] }\`; \`state\` is \`ok\`, \`warning\`, \`failed\` or \`skipped\` |
| \`api\` | what the gateway answers, as it is and without a version |
| \`logs\` | one document a line: \`{ "version", "line", "level", "request" }\`; \`level\` is \`ERROR\`, \`WARN\`, \`INFO\`, \`DEBUG\` or null; \`request\` holds the parts of a line in the gateway's own format (\`time\`, \`client\`, \`request\`, \`status\`, \`bytes\`, \`milliseconds\`, \`upstream\`), else null |`;
