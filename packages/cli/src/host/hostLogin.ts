import type { Client } from '@sallyport/sdk';
import { type NodeInput, check, nodeInput } from '@sallyport/sdk/contract';
import { type Context, Failure, gatewayUrl } from '../context.ts';
import { connectHost, waitForAnswer } from './connect.ts';
import type { Host } from './host.ts';
import { DEFAULT_INTERFACE, type HostConfig, NOTHING_AGREED } from './hostConfig.ts';
import { Secret } from '../secret.ts';
import { jsonText } from '../ui/json.ts';
import { problemText } from '../ui/sentence.ts';
import { passwordOf, refuseExposed, signInRefusal, usernameOf } from './credentials.ts';
import { trustedPin } from './trust.ts';

/** What may be said by flags about the node that this host becomes. */
export type HostLogin = {
  username?: string | undefined;
  passwordStdin?: boolean | undefined;
  pin?: string | undefined;
  insecureHttp?: boolean | undefined;
  name?: string | undefined;
  gateway?: boolean | undefined;
  interface?: string | undefined;
  subnet?: string | undefined;
  allowInternet?: boolean | undefined;
  wgInterface?: string | undefined;
  force?: boolean | undefined;
};

/** Makes this host a node: registers it as the administrator, keeps its own token, connects. */
export async function hostLogin(context: Context, flags: HostLogin): Promise<void> {
  const { io, signal } = context;
  const host = await context.host();
  host.requireRoot('make this host a node');
  const before = host.file.read();
  if (before && !flags.force && !(await isYes(context, `this host is a node of ${before.url} already. Replace that`))) {
    throw new Failure('failed', `This host is a node of ${before.url} already.`, 'Give --force to replace that.');
  }
  // What could fail later is tried before anything is registered.
  const wgInterface = flags.wgInterface ?? before?.interface ?? DEFAULT_INTERFACE;
  const tunnel = host.tunnel(wgInterface);
  tunnel.requireTools(mayBeGateway(flags));
  host.file.prepare();

  const url = context.givenUrl() ?? gatewayUrl(await io.ask('address of the gateway'));
  refuseExposed(url, flags.insecureHttp === true);
  const kept = before?.url === url ? before.pin : null;
  const pin = await trustedPin(context, { url, pin: flags.pin, before: kept });
  const username = await usernameOf(context, flags.username);
  const password = await passwordOf(context, flags.passwordStdin === true);
  const signIn = await context.connect({ url, pin });
  const session = await signIn.session.login({ body: { username, password } }, { signal }).catch((error: unknown) => {
    throw signInRefusal(error, url);
  });
  const admin = await context.connect({ url, pin, token: new Secret(session.token) });
  try {
    const body = await nodeOf(context, { ...flags, wgInterface }, host, admin);
    // Who said it at the terminal just now.
    if (body.isGateway) tunnel.requireTools(true);
    const node = await admin.node.create({ body }, { signal });
    const { allowInternet } = body;
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
      // A node that nobody could ever be would only stand in the way.
      await admin.node.remove({ params: { id: node.id } }).catch(() => undefined);
      throw error;
    }
    io.say(`Registered this host as node "${node.name}" (${node.address}).`);
    if (before && before.interface !== wgInterface) await host.tunnel(before.interface).down();
    await connectHost(context, host, config, ({ consent }) => consent.allowInternet === undefined)
      .then(({ gatewayAddress }) => waitForAnswer(context, host, config, gatewayAddress))
      .catch((error: unknown) => {
        throw notConnected(error);
      });
    io.say(`Connected to ${url}. Expose a web server with \`sallyport http NAME --port PORT\`.`);
    if (context.globals.json) {
      await io.print(jsonText({ url, id: node.id, name: node.name, address: node.address, isConnected: true }, 2));
    }
  } finally {
    await signOut(admin);
  }
}

/** Whether the node is one, as far as that is said before anybody is asked. */
const mayBeGateway = ({ gateway, subnet }: HostLogin): boolean => gateway ?? subnet !== undefined;

/** Whether somebody at the terminal says yes; with nobody there, it is a no. */
const isYes = async ({ io }: Context, question: string): Promise<boolean> => io.canAsk && io.confirm(question);

/** The administrator's session was for this alone. */
const signOut = (admin: Client): Promise<unknown> => admin.session.logout({}).catch(() => undefined);

/** The node that is wanted: by flags, else asked for, else as the machine is. */
async function nodeOf(context: Context, flags: HostLogin, { machine }: Host, admin: Client): Promise<NodeInput> {
  const name = await freeName(context, flags.name, machine.hostname, admin);
  const isGateway =
    flags.gateway ??
    (flags.subnet !== undefined || (await isYes(context, 'is this node a gateway to the network that it is in')));
  const found = isGateway ? machine.network(flags.wgInterface ?? DEFAULT_INTERFACE) : null;
  const gatewayNetworks = isGateway
    ? [
        {
          interface: flags.interface ?? (await wanted(context, 'interface', found?.interface, '--interface')),
          subnet: flags.subnet ?? (await wanted(context, 'subnet behind it', found?.subnet, '--subnet')),
        },
      ]
    : null;
  const allowInternet =
    flags.allowInternet ?? (await isYes(context, 'send all internet traffic of this host through the gateway'));
  const input = { name, isGateway, gatewayNetworks, allowInternet };
  const checked = check(nodeInput, input);
  if (checked.ok) return input;
  const [problem] = checked.problems;
  const flag = problem?.field.split('.').at(-1) ?? 'name';
  throw new Failure('usage', `${problemText(`--${flag}`, problem?.message ?? '')}.`, 'See --help.');
}

/** A name that no other node has: two of one name could not be told apart. */
async function freeName({ io, signal }: Context, flag: string | undefined, hostname: string, admin: Client) {
  const { data } = await admin.node.list({}, { signal });
  const isTaken = (name: string) => data.some((node) => node.name === name);
  for (;;) {
    const name = flag ?? (await io.askOr('name of the node', hostname));
    if (!isTaken(name)) return name;
    const sentence = `The gateway has a node "${name}" already.`;
    if (flag !== undefined || !io.canAsk) throw new Failure('usage', sentence, 'Choose another name with --name.');
    io.say(sentence);
  }
}

/** What was found on the machine, which may be corrected; when nothing was, it must be said. */
async function wanted({ io }: Context, what: string, found: string | undefined, flag: string): Promise<string> {
  if (found !== undefined) return io.askOr(what, found);
  if (io.canAsk) return io.ask(what);
  throw new Failure('usage', `This machine shows no ${what} of a network.`, `Give it with ${flag}.`);
}

/** A failure behind the registration: it stands, and may be tried again. */
function notConnected(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(
    error.ending,
    `This host is registered, but not connected: ${error.message}`,
    `${error.next ?? ''} Then run \`sallyport connect\`.`.trim(),
    { cause: error },
  );
}
