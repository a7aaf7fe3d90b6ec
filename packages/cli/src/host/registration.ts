import { isApiError } from '@sallyport/sdk';
import type { CreatedNode } from '@sallyport/sdk/contract';
import { type Context, hostCommandLine } from '../context.ts';
import { isTaken } from '../explain.ts';
import { Failure, problemText, sentence } from '../failure.ts';
import { Secret } from '../io.ts';
import { connectHost, waitForAnswer } from './connect.ts';
import type { Host } from './host.ts';
import { type HostConfig, NOTHING_AGREED } from './hostConfig.ts';

/**
 * Makes sure, before anything is registered, that this host is no node yet or may become another one, and that its
 * configuration can be written.
 * @param next how the command is told to replace what is there
 * @throws {Failure}
 */
export async function requireFree(
  { io }: Context,
  host: Host,
  force: boolean,
  next = 'Give --force to replace that.',
): Promise<void> {
  const before = host.file.read();
  if (before && !force) {
    const mayReplace = io.canAsk && (await io.confirm(`this host is a node of ${before.url} already. Replace that`));
    if (!mayReplace) throw new Failure('failed', `This host is a node of ${before.url} already.`, next);
  }
  host.file.prepare();
}

/**
 * What a refused node comes to: where its name alone is refused, that and how to give another one.
 * @param next how the command is told another name
 */
export function explainName(error: unknown, name: string, next: string): unknown {
  if (!isApiError(error, 'invalid') || error.problems.some(({ field }) => field !== 'name')) return error;
  const [problem] = error.problems;
  if (problem === undefined) return error;
  const text = isTaken(problem.message)
    ? `The gateway has a node "${name}" already.`
    : sentence(problemText('name', problem.message));
  return new Failure('usage', text, next, { cause: error });
}

/** What a host becomes, and of which gateway. */
export type Registration = {
  url: string;
  pin: string | null;
  wgInterface: string;
  allowInternet: boolean | undefined;
  before: HostConfig | undefined;
  node: Pick<CreatedNode, 'id' | 'name' | 'address' | 'token'>;
  /** Takes the registration back, where the host cannot keep it. */
  undo(): Promise<unknown>;
};

/** Keeps the token of a node that was registered for this host, connects, and waits until the gateway answers. */
export async function connectRegistered(context: Context, host: Host, registration: Registration): Promise<void> {
  const { io, env } = context;
  const { url, pin, wgInterface, allowInternet, before, node } = registration;
  const config: HostConfig = {
    url,
    token: new Secret(node.token),
    pin,
    interface: wgInterface,
    connected: true,
    ...NOTHING_AGREED,
    allowInternet,
  };
  try {
    host.file.write(config);
  } catch (error) {
    await registration.undo().catch(() => undefined);
    throw error;
  }
  io.say(`Registered this host as node "${node.name}" (${node.address}).`);
  if (before && before.interface !== wgInterface) await host.tunnel(before.interface).down();
  await connectHost(context, host, config, ({ consent }) => consent.allowInternet === undefined)
    .then(({ gatewayAddress }) => waitForAnswer(context, host, config, gatewayAddress))
    .catch((error: unknown) => {
      throw notConnected(error, env);
    });
  io.say(`Connected to ${url}. Expose a web server with \`${hostCommandLine(env, 'http NAME --port PORT')}\`.`);
  await io.answer({ url, id: node.id, name: node.name, address: node.address, isConnected: true });
}

/** A failure after the registration, which stands: the connection may be tried again. */
function notConnected(error: unknown, env: Context['env']): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(
    error.ending,
    `This host is registered, but not connected: ${error.message}`,
    `${error.next ?? ''} Then run \`${hostCommandLine(env, 'connect')}\`.`.trim(),
    { cause: error },
  );
}
