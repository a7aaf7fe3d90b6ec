import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };

/** What the commands do. */
export type Actions = {
  start(): Promise<void>;
  check(options: { json?: true }): Promise<void>;
  resetPassword(): Promise<void>;
};

/** `sallyport-gateway`: runs the gateway, and does what an administrator does on its machine. */
export function createProgram(actions: Actions): Command {
  const program = new Command('sallyport-gateway')
    .description('The gateway, and what its administrator does on its machine.')
    .version(manifest.version)
    .helpCommand(false)
    .exitOverride()
    .addHelpText('after', '\nSettings are environment variables; docs/operating.md has them all.');
  program.command('start').description('Run the gateway until it is told to end.').action(actions.start);
  program
    .command('check')
    .description('Look for what keeps the gateway from running, and say what to do about it.')
    .option('--json', 'print the findings as JSON')
    .action(actions.check);
  program
    .command('reset-password')
    .description('Give the administrator a new password and end all sessions. The gateway may run meanwhile.')
    .action(actions.resetPassword);
  program
    .command('version')
    .description('Print the version.')
    .action(() => void process.stdout.write(`${manifest.version}\n`));
  return program;
}
