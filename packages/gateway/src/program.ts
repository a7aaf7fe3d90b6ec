import { Command, InvalidArgumentError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { EXIT_CODES } from './exitCodes.ts';

/** What imports of services take. */
export type ImportOptions = { node: string; apply?: boolean; json?: boolean };

/** Where a Wiredoor server is read, and what opens its API. */
export type WiredoorOptions = {
  certificates?: string;
  pin?: string;
  tokenFile?: string;
  username?: string;
  passwordFile?: string;
};

/** What the commands do. */
export type Actions = {
  start(): Promise<void>;
  check(options: { json?: true }): Promise<void>;
  health(): Promise<void>;
  resetPassword(options: { json?: true }): Promise<void>;
  backup(
    target: string,
    options: { recipient?: string; passphraseFile?: string; logs?: true; keep?: number; json?: true },
  ): Promise<void>;
  importNpm(database: string, options: ImportOptions & { certificates?: string }): Promise<void>;
  importCaddyfile(file: string, options: ImportOptions & { envFile?: string }): Promise<void>;
  importWiredoor(source: string, options: WiredoorOptions & { apply?: true; json?: true }): Promise<void>;
  restore(
    file: string,
    options: { identity?: string; passphraseFile?: string; yes?: true; json?: true },
  ): Promise<void>;
};

/** What each command is called like, by its words. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  start: ['sudo sallyport-gateway start'],
  check: ['sudo sallyport-gateway check', 'sudo sallyport-gateway check --json'],
  health: ['sallyport-gateway health'],
  'reset-password': ['sudo sallyport-gateway reset-password'],
  backup: [
    'sudo sallyport-gateway backup /mnt/disk/gateway.backup',
    'sudo sallyport-gateway backup /var/backups/sallyport --keep 14 --recipient age1…',
    'sudo sallyport-gateway backup - --recipient age1… > gateway.backup',
  ],
  restore: [
    'sudo sallyport-gateway restore gateway.backup',
    'sudo sallyport-gateway restore gateway.backup --identity key.txt --yes',
  ],
  'import nginx-proxy-manager': [
    'sudo sallyport-gateway import nginx-proxy-manager data/database.sqlite',
    'sudo sallyport-gateway import nginx-proxy-manager data/database.sqlite --node home --apply',
  ],
  'import caddyfile': [
    'sudo sallyport-gateway import caddyfile /etc/caddy/Caddyfile',
    'sudo sallyport-gateway import caddyfile /etc/caddy/Caddyfile --apply',
  ],
  'import wiredoor': [
    'sudo sallyport-gateway import wiredoor wiredoor-data',
    'sudo sallyport-gateway import wiredoor wiredoor-data --certificates /etc/letsencrypt --apply',
    'sudo sallyport-gateway import wiredoor https://wiredoor.example.com --username admin@example.com',
  ],
  version: ['sallyport-gateway version'],
};

const PASSPHRASE_FILE = [
  '--passphrase-file <file>',
  'the file whose first line is the passphrase; otherwise it is asked for',
] as const;

/** `sallyport-gateway`: runs the gateway, and does what an administrator does on its machine. */
export function createProgram(actions: Actions): Command {
  const program = new Command('sallyport-gateway')
    .description('The gateway, and what its administrator does on its machine.')
    .version(manifest.version)
    .helpCommand(false)
    .exitOverride()
    .addHelpText('after', '\nSettings are environment variables; docs/operating.md has them all.')
    .addHelpText('afterAll', exitCodesText());
  program.command('start').description('Run the gateway until it is told to end.').action(actions.start);
  program
    .command('check')
    .description('Look for what keeps the gateway from running, and say what to do about it.')
    .option('--json', 'print the findings as JSON')
    .action(actions.check);
  program
    .command('health')
    .description('Ask the running gateway whether all of it works, for probes; the exit code is 0 only then.')
    .action(actions.health);
  program
    .command('reset-password')
    .description('Give the administrator a new password and end all sessions. The gateway may run meanwhile.')
    .option('--json', 'print the name and the new password as JSON')
    .action(actions.resetPassword);
  program
    .command('backup')
    .description(
      'Write everything that the gateway needs to go on elsewhere into one encrypted file. It may run meanwhile.',
    )
    .argument(
      '<file>',
      'where to: a file, a directory that names it after the time, or - for standard output, which is not read again',
    )
    .addOption(
      new Option('--recipient <key>', 'encrypt to the public key of an age identity instead of a passphrase').conflicts(
        'passphraseFile',
      ),
    )
    .option(...PASSPHRASE_FILE)
    .option('--logs', 'the stored log lines, too')
    .option('--keep <number>', 'delete all but so many of the newest backups of that directory', wholeNumber)
    .option('--json', 'print what was written as JSON')
    .action(actions.backup);
  program
    .command('restore')
    .description('Put a backup in the place of the data directory. What is there now is kept next to it.')
    .argument('<file>', 'where from; - for standard input')
    .addOption(
      new Option(
        '--identity <file>',
        'the file with the age identity that opens it, instead of a passphrase',
      ).conflicts('passphraseFile'),
    )
    .option(...PASSPHRASE_FILE)
    .option('--yes', 'do not ask before anything is replaced')
    .option('--json', 'print what was replaced as JSON')
    .action(actions.restore);
  const imports = program
    .command('import')
    .description('Take over what another program serves. Nothing is changed without --apply.')
    .helpCommand(false);
  imports
    .command('nginx-proxy-manager')
    .description(
      'Say what becomes of the hosts and streams of a Nginx Proxy Manager; --apply makes them. The gateway has to run.',
    )
    .argument('<database>', 'its data/database.sqlite')
    .option('--certificates <directory>', 'what it has as /etc/letsencrypt; else letsencrypt next to <database>')
    .option('--node <name>', 'the node behind which the backends are', 'Local')
    .option('--apply', 'make the services that are missing')
    .option('--json', 'print the plan, or the outcome, as JSON')
    .action(actions.importNpm);
  imports
    .command('caddyfile')
    .description('Say what becomes of the sites of a Caddyfile; --apply makes them. The gateway has to run.')
    .argument('<file>', 'the Caddyfile; what it imports is read below its directory')
    .option('--env-file <file>', 'what Caddy has as its environment, a line NAME=value for each, for {$NAME} in it')
    .option('--node <name>', 'the node behind which the backends are', 'Local')
    .option('--apply', 'make the services that are missing')
    .option('--json', 'print the plan, or the outcome, as JSON')
    .action(actions.importCaddyfile);
  imports
    .command('wiredoor')
    .description(
      'Say what becomes of a Wiredoor server; --apply makes a new gateway of it, and its nodes go on as they are. The gateway must not run.',
    )
    .argument(
      '<source>',
      'what its container has as /data, or a copy of it; or its address, `https://HOST`, for its API: all hosts have to join again then',
    )
    .option(
      '--certificates <directory>',
      'what its container has as /etc/letsencrypt; else letsencrypt within <source>',
    )
    .option('--username <name>', 'of its administrator, for its API; the password is asked for')
    .option('--password-file <file>', 'the file whose first line is the password')
    .option(
      '--token-file <file>',
      "the file whose first line is a token of its administrator's console, instead of both",
    )
    .option('--pin <sha256>', 'the SHA-256 of the certificate of its API, where no authority vouches for that')
    .option('--apply', 'make the gateway, in the place of one that has nothing yet')
    .option('--json', 'print the plan as JSON')
    .action(actions.importWiredoor);
  program
    .command('version')
    .description('Print the version.')
    .option('--json', 'print it as JSON')
    .action(({ json }: { json?: true }) => {
      const { version } = manifest;
      process.stdout.write(json === true ? `${JSON.stringify({ version }, null, 2)}\n` : `${version}\n`);
    });
  for (const { words, command } of leavesOf(program)) {
    const examples = (EXAMPLES[words] ?? []).map((line) => `  ${line}`);
    command.addHelpText('after', ['', 'Examples:', ...examples].join('\n'));
  }
  return program;
}

/** The commands that do something, each with the words that lead there. */
export function leavesOf(command: Command, words: readonly string[] = []): { words: string; command: Command }[] {
  if (command.commands.length === 0) return [{ words: words.join(' '), command }];
  return command.commands.flatMap((each) => leavesOf(each, [...words, each.name()]));
}

function exitCodesText(): string {
  const lines = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padEnd(5)}${meaning}`);
  return ['', 'Exit codes:', ...lines].join('\n');
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
}
