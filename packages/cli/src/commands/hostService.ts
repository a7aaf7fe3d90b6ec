import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { hostCommandLine } from '../context.ts';
import { Failure } from '../failure.ts';
import { becomeNode } from '../host/becomeNode.ts';
import { isTokenGiven, pinFlag, tokenFlags } from '../host/credentials.ts';
import { hostCommand } from '../host/hostCommand.ts';
import { keepConnected } from '../host/keeper.ts';
import { type Uninstalled, hostService, seeJournal } from '../host/systemd.ts';

/** No pause after a failure is longer either. */
const EVERY_MAX_SECONDS = 60;

/** How often the gateway is asked, in seconds. */
const everyFlag = {
  flags: { every: z.optional(field.integer(1, EVERY_MAX_SECONDS)) },
  help: { every: { text: 'ask the gateway every so many seconds; 10 unless given', value: 'seconds' } },
};

export const install = hostCommand({
  description:
    'Have systemd keep this host connected, from now on and from each start of the machine: it follows what the administrator changes, and tries again with growing pauses while the gateway cannot be reached.',
  flags: z.strictObject(everyFlag.flags),
  help: everyFlag.help,
  examples: ['sudo sallyport service install', 'sudo sallyport service install --every 60'],
  async run(context, { every }) {
    const host = await context.host();
    const service = hostService(host, context.env);
    const config = host.config();
    await service.install(every);
    context.io.say(`Installed ${service.path}; this host stays connected to ${config.url}.`);
    if (context.globals.json) await context.io.answer({ unit: service.path, ...(await service.state()) });
  },
});

const WORDS: Record<Uninstalled, (path: string, connect: string) => string> = {
  removed: (path, connect) => `Removed ${path}. Connect by hand with \`${connect}\`.`,
  stopped: (_, connect) =>
    `Stopped the service, whose unit belongs to the package. Connect by hand with \`${connect}\`.`,
  none: () => 'There was no service.',
};

export const uninstall = hostCommand({
  description:
    'Stop the service that keeps this host connected and remove it. The host disconnects; its configuration stays.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sudo sallyport service uninstall'],
  async run(context) {
    const service = hostService(await context.host(), context.env);
    const became = await service.uninstall();
    context.io.say(WORDS[became](service.path, hostCommandLine(context.env, 'connect')));
    await context.io.answer({ wasInstalled: became !== 'none' });
  },
});

export const status = hostCommand({
  description:
    'Say whether the service that keeps this host connected is installed and runs. The exit code is 0 only when it runs, else 3. Whether the host is connected, `sallyport status` says.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sallyport service status'],
  async run({ io, globals, env, host }) {
    const at = await host();
    const service = hostService(at, env);
    const found = await service.state();
    const words = found.isActive ? 'runs' : found.isInstalled ? 'installed, but does not run' : 'not installed';
    if (globals.json) await io.answer({ unit: service.path, ...found });
    else await io.print(`${words}\n`);
    if (found.isActive) return;
    throw new Failure(
      'disconnected',
      'The service does not run.',
      found.isInstalled ? seeJournal(at, env) : 'Install it with `sallyport service install`.',
    );
  },
});

export const run = hostCommand({
  description:
    'Keep this host connected, in the foreground, until a signal; then take the tunnel down. This is what the installed service runs. With --url and a token, or SALLYPORT_URL and SALLYPORT_TOKEN, the host becomes the node of that token first, unless it is already: this is what containers run.',
  flags: z.strictObject({ ...everyFlag.flags, ...tokenFlags.flags, ...pinFlag.flags }),
  help: { ...everyFlag.help, ...tokenFlags.help, ...pinFlag.help },
  examples: [
    'sudo sallyport service run',
    'sudo sallyport service run --url https://gateway.example.com:9443 --token-file /run/secrets/node-token',
  ],
  async run(context, { every, ...given }) {
    const { io, now, signal } = context;
    const host = await context.host();
    host.requireRoot('keep this host connected');
    if (isTokenGiven(context, given)) await becomeNode(context, host, given);
    await keepConnected({ host, say: io.say, now, signal, ...(every !== undefined && { everyMs: every * 1000 }) });
  },
});
