import { isApiError } from '@sallyport/sdk';
import { type CreatedNode, nodeShape } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, command, gatewayUrl } from '../context.ts';
import { Failure } from '../failure.ts';
import { connectRegistered, explainName, requireFree } from '../host/registration.ts';
import { askedCode, codeOfFile, newClaim, pinFlag, refuseExposed, trustedPin, WrongCode } from '../host/credentials.ts';
import type { Host } from '../host/host.ts';
import { DEFAULT_INTERFACE, interfaceFlag } from '../host/hostConfig.ts';

const flags = z.strictObject({
  codeFile: z.optional(z.string()),
  ...pinFlag.flags,
  insecureHttp: z.optional(z.boolean()),
  name: z.optional(nodeShape.shape.name),
  interface: z.optional(z.string()),
  subnet: z.optional(z.string()),
  ...interfaceFlag.flags,
  force: z.optional(z.boolean()),
});
type Flags = z.output<typeof flags>;

export const join = command({
  description:
    'Make this host a node of a gateway by the code that its console shows, without the password of the administrator. The code is asked for, or read from a file. The line that the console shows installs this command and runs it.',
  flags,
  help: {
    codeFile: { text: 'read the code from this file (else SALLYPORT_CODE_FILE, else asked for)', value: 'file' },
    ...pinFlag.help,
    insecureHttp: { text: 'send the code over plain HTTP to another machine' },
    name: { text: "the node's name; else the name of this host. A code for one node keeps its name", value: 'name' },
    interface: { text: "a gateway's interface to its network; else that of the default route", value: 'name' },
    subnet: { text: 'the subnet behind a gateway; else that of the interface', value: 'cidr' },
    ...interfaceFlag.help,
    force: { text: 'replace what made this host a node before, without asking' },
  },
  examples: [
    'sudo sallyport join --url https://gateway.example.com:9443',
    'sudo sallyport join --url https://gateway.example.com:9443 --pin 5E:0F:… --code-file code',
  ],
  async run(context, given) {
    const host = await context.host();
    host.requireRoot('make this host a node');
    const before = host.file.read();
    const wgInterface = given.wgInterface ?? before?.interface ?? DEFAULT_INTERFACE;
    host.tunnel(wgInterface).requireTools('unknown');
    await requireFree(context, host, given.force === true, FORCE);
    const url = context.givenUrl() ?? gatewayUrl(await context.io.ask('address of the gateway'));
    refuseExposed(url, given.insecureHttp === true);
    const pin = await trustedPin(context, { url, pin: given.pin, before });
    const node = await redeemGiven(context, { url, pin, given: { ...given, wgInterface }, host });
    // The code is used up. What was made of it stays, and the administrator sees it.
    const undo = () => Promise.resolve();
    await connectRegistered(context, host, { url, pin, wgInterface, allowInternet: false, before, node, undo });
  },
});

const FORCE =
  'Give --force to replace that. The line that the console shows takes it at its end: `| sudo sh -s -- --force`.';

const OTHER_NAME =
  'Choose another one with --name NAME. The line that the console shows takes it at its end: `| sudo sh -s -- --name NAME`.';

/** So often a code is asked for. */
const ASKED_MAX = 3;

/** Joins by the code that is given. One that is asked for is asked for again when it is wrong. @throws {Failure} */
async function redeemGiven(context: Context, asking: Omit<Asking, 'code'>): Promise<CreatedNode> {
  const given = codeOfFile(context, asking.given.codeFile);
  if (given !== null) return redeem(context, { ...asking, code: given });
  for (let left = ASKED_MAX - 1; ; left -= 1) {
    try {
      return await redeem(context, { ...asking, code: await askedCode(context) });
    } catch (error) {
      if (!(error instanceof WrongCode) || left === 0) throw error;
      context.io.warn(error.message);
    }
  }
}

type Asking = { url: string; pin: string | null; code: string; given: Flags & { wgInterface: string }; host: Host };

/** Asks to be a node. Where the answer is lost, the same claim has it again. @throws {Failure} {@link WrongCode} among them */
async function redeem(context: Context, { url, pin, code, given, host }: Asking): Promise<CreatedNode> {
  const client = await context.connect({ url, pin });
  const claim = newClaim();
  const name = given.name ?? host.machine.hostname;
  const ask = (more: object = {}): Promise<CreatedNode> =>
    client.joinKey.redeem({ body: { code, claim, name, ...more } }, { signal: context.signal });
  const askTwice = (more?: object): Promise<CreatedNode> =>
    ask(more).catch((error: unknown) => {
      if (isApiError(error, 'unreachable')) return ask(more);
      throw error;
    });
  try {
    return await askTwice().catch((error: unknown) => {
      if (!isAboutNetworks(error)) throw error;
      host.tunnel(given.wgInterface).requireTools(true);
      return askTwice({ gatewayNetworks: [networkOf(given, host)] });
    });
  } catch (error) {
    if (isApiError(error, 'unauthorized')) {
      throw new WrongCode(
        'signedOut',
        error.message,
        'An administrator makes another one: in the console, on the page Client / Nodes, or with `sallyport join-key create`.',
        { cause: error },
      );
    }
    if (isApiError(error, 'invalid') && error.problems.some(({ field }) => field === 'code')) {
      throw new WrongCode('usage', 'What was given is no code.', 'The console shows it next to the line.', {
        cause: error,
      });
    }
    throw explainName(error, name, OTHER_NAME);
  }
}

/** Only the gateway knows whether the code is for a gateway. */
const isAboutNetworks = (error: unknown): boolean =>
  isApiError(error, 'invalid') && error.problems.some(({ field }) => field.startsWith('gatewayNetworks'));

function networkOf(given: Asking['given'], { machine }: Host): { interface: string; subnet: string } {
  const found = machine.network(given.wgInterface);
  const network = { interface: given.interface ?? found?.interface, subnet: given.subnet ?? found?.subnet };
  if (network.interface !== undefined && network.subnet !== undefined)
    return { interface: network.interface, subnet: network.subnet };
  throw new Failure(
    'usage',
    'This code is for a gateway to a network, and this machine shows none.',
    'Give it with --interface and --subnet.',
  );
}
