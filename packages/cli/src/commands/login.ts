import { nodeShape } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { Failure, command, flagName } from '../context.ts';
import { INTERFACE_NAME } from '../host/hostConfig.ts';
import { hostLogin } from '../host/hostLogin.ts';
import { operatorLogin } from '../host/operatorLogin.ts';

const { name } = nodeShape.shape;

/** What only a host says about the node that it becomes. */
const hostFlags = {
  name: z.optional(name),
  gateway: z.optional(z.boolean()),
  interface: z.optional(z.string()),
  subnet: z.optional(z.string()),
  allowInternet: z.optional(z.boolean()),
  wgInterface: z.optional(
    z.string().check(z.regex(INTERFACE_NAME, { error: 'This field must be the name of an interface' })),
  ),
  force: z.optional(z.boolean()),
};

export const login = command({
  description:
    "Make this host a node of a gateway: sign in as its administrator, register the host, keep its own token in /etc/sallyport/config.json, connect. With --operator, keep the administrator's session in this user's configuration directory instead, to operate the gateway. What is missing is asked for, or else is as the machine is; the environment may give SALLYPORT_URL, SALLYPORT_USERNAME and SALLYPORT_PASSWORD.",
  flags: z.strictObject({
    operator: z.optional(z.boolean()),
    username: z.optional(z.string()),
    passwordStdin: z.optional(z.boolean()),
    pin: z.optional(z.string()),
    insecureHttp: z.optional(z.boolean()),
    ...hostFlags,
  }),
  help: {
    operator: { text: 'sign in as an operator of the gateway; this host does not become a node' },
    username: { text: "the administrator's name (else SALLYPORT_USERNAME, else asked for)", value: 'name' },
    passwordStdin: { text: 'read the password from standard input (else SALLYPORT_PASSWORD, else asked for)' },
    pin: {
      text: 'trust this one certificate, by the fingerprint that the gateway prints when it starts',
      value: 'sha256',
    },
    insecureHttp: { text: 'send the password over plain HTTP to another machine' },
    name: { text: "the node's name; else the name of this host", value: 'name' },
    gateway: { text: 'the node is a gateway to the network that it is in', negatable: true },
    interface: { text: "a gateway's interface to that network; else that of the default route", value: 'name' },
    subnet: { text: 'the subnet behind a gateway; else that of the interface', value: 'cidr' },
    allowInternet: { text: 'send all internet traffic of this host through the gateway', negatable: true },
    wgInterface: { text: 'the name of the WireGuard interface; "sallyport" unless given', value: 'name' },
    force: { text: 'replace what made this host a node before, without asking' },
  },
  examples: [
    'sudo sallyport login --url https://gateway.example.com:9443',
    'sudo sallyport login --url https://gateway.example.com:9443 --username admin --password-stdin --name web-1 < password-file',
    'sallyport login --operator --url https://gateway.example.com:9443',
  ],
  async run(context, flags) {
    if (!flags.operator) return hostLogin(context, flags);
    const wrong = Object.keys(hostFlags).find((flag) => flags[flag as keyof typeof hostFlags] !== undefined);
    if (wrong !== undefined) {
      throw new Failure(
        'usage',
        `--operator makes no node of this host, so it takes no ${flagName(wrong)}.`,
        'Leave one of the two out.',
      );
    }
    return operatorLogin(context, flags);
  },
});
