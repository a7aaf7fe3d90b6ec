import type { Entry } from './entry.ts';
import { EXIT_CODES } from './failure.ts';
import { HOST_ENTRIES } from './hostEntries.ts';
import { OPERATOR_ENTRIES } from './operatorEntries.ts';

// What the parser is told, without the parser: the first words of the program need no more.

/** The tree. A command's file is found by its path: `node list` is `commands/node/list.ts`. */
export const ENTRIES: readonly Entry[] = [...HOST_ENTRIES, ...OPERATOR_ENTRIES];

/** What stands between the program and its commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  profile: 'The gateways that this user is signed in to.',
  node: 'Nodes and gateways.',
  domain: 'The names that the gateway answers for.',
  service: 'What visitors can reach, and the service of this host that keeps it connected.',
  'service create': 'Expose something new.',
  token: 'The access tokens by which nodes sign in.',
};

export const ABOUT = 'Operate a Sallyport gateway from the command line.';

/** The flags that every command has, and what each is for; `Globals` holds their values. */
export const GLOBAL_FLAGS: readonly (readonly [flags: string, text: string])[] = [
  ['--profile <name>', 'the session to use (else SALLYPORT_PROFILE, else "default")'],
  ['--url <url>', 'the gateway (else SALLYPORT_URL, else the address of the profile)'],
  ['--config <file>', "the host's configuration (else SALLYPORT_CONFIG, else /etc/sallyport/config.json)"],
  ['--json', 'print JSON of a fixed shape'],
  ['--quiet', 'print no messages, only results and errors'],
  ['--no-input', 'never ask; fail instead'],
  ['--no-color', 'print no colours (NO_COLOR does the same)'],
];
export const VERSION_FLAG = ['-v, --version', 'print the version'] as const;
export const HELP_FLAG = ['-h, --help', 'print help'] as const;

/** What stands below the help of the whole program. */
export const AFTER_HELP = `Exit codes: ${Object.values(EXIT_CODES)
  .map(({ code }) => code)
  .join(', ')}; docs/cli.md says what each means.`;
