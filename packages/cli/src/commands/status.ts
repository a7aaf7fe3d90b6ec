import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { gatewayHere } from '../host/gatewayHere.ts';
import { type Host, HOW_TO_JOIN } from '../host/host.ts';
import { hostCommand } from '../host/hostCommand.ts';
import { type HostStatus, linkOf, statusOf } from '../host/status.ts';
import { hostStatusLines } from '../ui/hostStatusLines.ts';
import { jsonText } from '../io.ts';

export const status = hostCommand({
  description:
    'Show how this host is connected and what it exposes. The exit code is 0 only while the tunnel is up and the gateway has answered through it within three minutes, else 3, in every form; it is 3 also when the administrator has disabled the node; what the gateway itself says is shown when it can be asked.',
  flags: z.strictObject({ watch: z.optional(z.boolean()), health: z.optional(z.boolean()) }),
  help: {
    watch: { text: 'go on showing it, until Ctrl+C' },
    health: { text: 'for probes: look at the tunnel alone, ask no gateway, print one line' },
  },
  examples: ['sudo sallyport status', 'sudo sallyport status --watch', 'sudo sallyport status --json | jq -r .link'],
  async run(context, { watch, health }) {
    const host = await context.host();
    if (health) return probe(context, host);
    if (watch) return follow(context, host);
    const found = await statusOf(host, context.now, context.signal);
    const isNode = found.link !== 'unconfigured';
    // Of a machine that is none, people are told the same by the error.
    if (isNode || context.globals.json) await show(context, found, 2);
    if (found.link === 'up') return;
    const url = isNode ? undefined : await operatedGateway(context);
    const here = isNode || url !== undefined ? null : gatewayHere(host.machine);
    if (here !== null) throw new Failure('disconnected', 'This machine is no node: it is the gateway itself.', here);
    if (url === undefined) throw notUp(found);
    throw new Failure(
      'disconnected',
      'This machine is no node.',
      `You are signed in to ${url} as operator: \`sallyport doctor\` looks at it.`,
    );
  },
});

/** Where this user is signed in as operator. A configuration that cannot be read says nothing of this host. */
async function operatedGateway({ config, profileName }: Context): Promise<string | undefined> {
  try {
    return (await config()).get(profileName)?.url;
  } catch {
    return undefined;
  }
}

/** Prints the status in the form that fits its reader. */
async function show({ io, globals, now }: Context, found: HostStatus, indent?: number): Promise<void> {
  if (globals.json) return io.print(jsonText(documentOf(found), indent));
  await io.print(`${hostStatusLines(found, now(), io.columns(), io.paint).join('\n')}\n`);
}

const documentOf = (found: HostStatus) => ({ ...found, isConnected: found.link === 'up' });

/** One line, and the exit code. */
async function probe({ io, globals, now }: Context, host: Host): Promise<void> {
  const config = host.file.read();
  const { link } = config ? await linkOf(host, config, now()) : ({ link: 'unconfigured' } as const);
  await io.print(globals.json ? jsonText({ link, isConnected: link === 'up' }) : `${link}\n`);
  if (link !== 'up') throw notUp({ link });
}

/** Live: a screen on a terminal; piped, each status that differs from the last. */
async function follow(context: Context, host: Host): Promise<void> {
  const { io, globals, now, signal } = context;
  const { changingStatus } = await import('../host/status.ts');
  if (io.isTerminal && !globals.json) {
    const { watchHost } = await import('../ui/watchHost.tsx');
    return watchHost(context, (until) => changingStatus(host, now, until));
  }
  for await (const found of changingStatus(host, now, signal)) {
    await show(context, found);
    if (!globals.json) await io.print('\n');
  }
  signal.throwIfAborted();
}

const NEXT = {
  unconfigured: HOW_TO_JOIN,
  down: 'Connect with `sallyport connect`.',
  waiting: 'See whether a firewall keeps its UDP port closed, and whether the node is enabled.',
  up: null,
};

const notUp = ({ link, node }: Pick<HostStatus, 'link'> & Partial<Pick<HostStatus, 'node'>>) =>
  node?.enabled === false
    ? new Failure(
        'disconnected',
        'This host is not connected: the administrator has disabled its node.',
        'It connects again when the administrator enables it.',
      )
    : new Failure(
        'disconnected',
        link === 'unconfigured' ? 'This host is not a node of a gateway.' : 'This host is not connected.',
        NEXT[link],
      );
