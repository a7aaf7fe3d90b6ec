import { type Client, isApiError, sessionSeconds } from '@sallyport/sdk';
import { API_TOKEN_PREFIX, type NodeInput, check, nodeInput, nodeShape } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, command, flagName, gatewayUrl } from '../context.ts';
import { Failure, problemText } from '../failure.ts';
import { connectRegistered, explainName, requireFree } from '../host/registration.ts';
import { API_TOKEN, givenToken, pinFlag, refuseExposed, signIn, trustedPin } from '../host/credentials.ts';
import type { Host } from '../host/host.ts';
import { DEFAULT_INTERFACE, interfaceFlag } from '../host/hostConfig.ts';
import { Secret } from '../io.ts';

/** What only a host says about the node that it becomes. */
const hostFlags = {
  name: z.optional(nodeShape.shape.name),
  gateway: z.optional(z.boolean()),
  interface: z.optional(z.string()),
  subnet: z.optional(z.string()),
  allowInternet: z.optional(z.boolean()),
  ...interfaceFlag.flags,
  force: z.optional(z.boolean()),
};

const flags = z.strictObject({
  operator: z.optional(z.boolean()),
  username: z.optional(z.string()),
  passwordStdin: z.optional(z.boolean()),
  tokenFile: z.optional(z.string()),
  ...pinFlag.flags,
  insecureHttp: z.optional(z.boolean()),
  ...hostFlags,
});
type Flags = z.output<typeof flags>;

export const login = command({
  description:
    "Make this host a node of a gateway: sign in as its administrator, register the host, keep its own token in /etc/sallyport/config.json, connect. With --operator, keep the administrator's session in this user's configuration directory instead, to operate the gateway; with --token-file, an API token, which may do a part of that. What is missing is asked for, or else is as the machine is; the environment may give SALLYPORT_URL, SALLYPORT_USERNAME and SALLYPORT_PASSWORD.",
  flags,
  help: {
    operator: { text: 'sign in as an operator of the gateway; this host does not become a node' },
    username: { text: "the administrator's name (else SALLYPORT_USERNAME, else asked for)", value: 'name' },
    passwordStdin: { text: 'read the password from standard input (else SALLYPORT_PASSWORD, else asked for)' },
    tokenFile: {
      text: 'keep the API token that is in this file, instead of signing in with a password; implies --operator',
      value: 'file',
    },
    ...pinFlag.help,
    insecureHttp: { text: 'send the password or the token over plain HTTP to another machine' },
    name: { text: "the node's name; else the name of this host", value: 'name' },
    gateway: { text: 'the node is a gateway to the network that it is in', negatable: true },
    interface: { text: "a gateway's interface to that network; else that of the default route", value: 'name' },
    subnet: { text: 'the subnet behind a gateway; else that of the interface', value: 'cidr' },
    allowInternet: { text: 'send all internet traffic of this host through the gateway', negatable: true },
    ...interfaceFlag.help,
    force: { text: 'replace what made this host a node before, without asking' },
  },
  examples: [
    'sudo sallyport login --url https://gateway.example.com:9443',
    'sudo sallyport login --url https://gateway.example.com:9443 --username admin --password-stdin --name web-1 < password-file',
    'sallyport login --operator --url https://gateway.example.com:9443',
    'sallyport login --url https://gateway.example.com:9443 --token-file token-file',
  ],
  async run(context, given) {
    if (!given.operator && given.tokenFile === undefined) return hostLogin(context, given);
    const wrong = Object.keys(hostFlags).find((flag) => given[flag as keyof typeof hostFlags] !== undefined);
    if (wrong !== undefined) {
      throw new Failure(
        'usage',
        `--operator makes no node of this host, so it takes no ${flagName(wrong)}.`,
        'Leave one of the two out.',
      );
    }
    return given.tokenFile === undefined ? operatorLogin(context, given) : tokenLogin(context, given);
  },
});

/** Signs an operator in and keeps the session in the user's own configuration directory. */
async function operatorLogin(context: Context, given: Flags): Promise<void> {
  const { io, profileName } = context;
  const config = await context.config();
  const before = config.get(profileName);
  const url = context.givenUrl() ?? before?.url ?? gatewayUrl(await io.ask('address of the gateway'));
  const { pin, username, session } = await signIn(context, url, given, before);
  const seconds = sessionSeconds(session);
  const expiresAt = seconds === null ? null : new Date(context.now().getTime() + seconds * 1000).toISOString();
  config.set(profileName, { url, username, token: session.token, expiresAt, pin });
  io.say(`Signed in to ${url} as ${username}${expiresAt === null ? '' : ` until ${expiresAt}`}.`);
  await io.answer({ profile: profileName, url, username, expiresAt });
}

/** Keeps an API token in the user's own configuration directory, once the gateway has said whose it is. */
async function tokenLogin(context: Context, given: Flags): Promise<void> {
  const { io, profileName, signal } = context;
  const config = await context.config();
  const before = config.get(profileName);
  const url = context.givenUrl() ?? before?.url ?? gatewayUrl(await io.ask('address of the gateway'));
  refuseExposed(url, given.insecureHttp === true);
  const token = await givenToken(context, { tokenFile: given.tokenFile });
  if (!token.reveal().startsWith(API_TOKEN_PREFIX)) {
    throw new Failure(
      'usage',
      `What is in ${given.tokenFile} is no API token.`,
      'Make one with `sallyport api-token create`.',
    );
  }
  const pin = await trustedPin(context, { url, pin: given.pin, before });
  const client = await context.connect({ url, pin, token });
  const { name = '', exp } = await client.session.me({}, { signal }).catch((error: unknown) => {
    if (!isApiError(error, 'unauthorized')) throw error;
    throw new Failure('signedOut', 'The gateway does not accept this API token.', 'Make another one.', {
      cause: error,
    });
  });
  const expiresAt = exp === undefined ? null : new Date(exp * 1000).toISOString();
  const username = `${API_TOKEN}${name}`;
  config.set(profileName, { url, username, token: token.reveal(), expiresAt, pin });
  io.say(`Signed in to ${url} with the API token "${name}"${expiresAt === null ? '' : ` until ${expiresAt}`}.`);
  await io.answer({ profile: profileName, url, username, expiresAt });
}

/** Makes this host a node: registers it as the administrator, keeps its own token, connects. */
async function hostLogin(context: Context, given: Flags): Promise<void> {
  const { io, signal } = context;
  const host = await context.host();
  host.requireRoot('make this host a node');
  const before = host.file.read();
  const wgInterface = given.wgInterface ?? before?.interface ?? DEFAULT_INTERFACE;
  // Before any question, so that no answer is given in vain; whether it is a gateway would be one of them.
  const isGateway = given.gateway ?? (given.subnet !== undefined || (io.canAsk && 'asked'));
  host.tunnel(wgInterface).requireTools(isGateway);
  await requireFree(context, host, given.force === true);

  const url = context.givenUrl() ?? gatewayUrl(await io.ask('address of the gateway'));
  const { pin, session } = await signIn(context, url, given, before);
  const admin = await context.connect({ url, pin, token: new Secret(session.token) });
  try {
    const body = await nodeOf(context, { ...given, wgInterface }, host, admin);
    const node = await admin.node.create({ body }, { signal }).catch((error: unknown) => {
      throw explainName(error, body.name, OTHER_NAME);
    });
    // A node that no host could ever be would only stand in the way.
    const undo = () => admin.node.remove({ params: { id: node.id } });
    await connectRegistered(context, host, {
      url,
      pin,
      wgInterface,
      allowInternet: body.allowInternet,
      before,
      node,
      undo,
    });
  } finally {
    // The administrator's session was for this alone.
    await admin.session.logout({}).catch(() => undefined);
  }
}

/** Whether the user at the terminal says yes; without a terminal, it is a no. */
const isYes = async ({ io }: Context, question: string): Promise<boolean> => io.canAsk && io.confirm(question);

/** The node that is wanted: by flags, else asked for, else as the machine is. */
async function nodeOf(context: Context, given: Flags, { machine }: Host, admin: Client): Promise<NodeInput> {
  const name = await freeName(context, given.name, machine.hostname, admin);
  const isGateway =
    given.gateway ??
    (given.subnet !== undefined || (await isYes(context, 'is this node a gateway to the network that it is in')));
  const found = isGateway ? machine.network(given.wgInterface ?? DEFAULT_INTERFACE) : null;
  const gatewayNetworks = isGateway
    ? [
        {
          interface: given.interface ?? (await wanted(context, 'interface', found?.interface, '--interface')),
          subnet: given.subnet ?? (await wanted(context, 'subnet behind it', found?.subnet, '--subnet')),
        },
      ]
    : null;
  const allowInternet =
    given.allowInternet ?? (await isYes(context, 'send all internet traffic of this host through the gateway'));
  const input = { name, isGateway, gatewayNetworks, allowInternet };
  const checked = check(nodeInput, input);
  if (checked.ok) return input;
  const [problem] = checked.problems;
  const flag = problem?.field.split('.').at(-1) ?? 'name';
  throw new Failure('usage', `${problemText(`--${flag}`, problem?.message ?? '')}.`, 'See --help.');
}

const OTHER_NAME = 'Choose another one with --name NAME.';

/** A name that no other node has: two of one name could not be told apart. */
async function freeName({ io, signal }: Context, flag: string | undefined, hostname: string, admin: Client) {
  const { data } = await admin.node.list({}, { signal });
  const isTaken = (name: string) => data.some((node) => node.name === name);
  for (;;) {
    const name = flag ?? (await io.askOr('name of the node', hostname));
    if (!isTaken(name)) return name;
    const sentence = `The gateway has a node "${name}" already.`;
    if (flag !== undefined || !io.canAsk) throw new Failure('usage', sentence, OTHER_NAME);
    io.say(sentence);
  }
}

/** What was found on the machine, which may be corrected; when nothing was, it must be said. */
async function wanted({ io }: Context, what: string, found: string | undefined, flag: string): Promise<string> {
  if (found !== undefined) return io.askOr(what, found);
  if (io.canAsk) return io.ask(what);
  throw new Failure('usage', `This machine shows no ${what} of a network.`, `Give it with ${flag}.`);
}
