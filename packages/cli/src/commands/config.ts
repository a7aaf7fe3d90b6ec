import * as z from 'zod/mini';
import { Failure, command, gatewayUrl, pinOf } from '../context.ts';
import { DEFAULT_INTERFACE, INTERFACE_NAME, NOTHING_AGREED, keptConsent } from '../host/hostConfig.ts';
import { givenToken } from '../host/credentials.ts';
import { jsonText } from '../ui/json.ts';

export const config = command({
  description:
    "Write this host's configuration without connecting: the gateway and the token of the node. The token is read from standard input, a file or SALLYPORT_TOKEN, else asked for; it is never part of the command.",
  flags: z.strictObject({
    tokenStdin: z.optional(z.boolean()),
    tokenFile: z.optional(z.string()),
    pin: z.optional(z.string()),
    wgInterface: z.optional(
      z.string().check(z.regex(INTERFACE_NAME, { error: 'This field must be the name of an interface' })),
    ),
  }),
  help: {
    tokenStdin: { text: "read the node's token from standard input" },
    tokenFile: { text: "read the node's token from a file", value: 'file' },
    pin: {
      text: 'trust this one certificate, by the fingerprint that the gateway prints when it starts',
      value: 'sha256',
    },
    wgInterface: { text: 'the name of the WireGuard interface; "sallyport" unless given', value: 'name' },
  },
  examples: [
    'sudo sallyport config --url https://gateway.example.com:9443',
    'sudo sallyport config --url https://gateway.example.com:9443 --token-file /run/secrets/node-token',
  ],
  async run(context, flags) {
    const { io } = context;
    const host = await context.host();
    const before = host.file.read();
    host.file.prepare();
    const url = context.givenUrl() ?? before?.url ?? gatewayUrl(await io.ask('address of the gateway'));
    if (flags.pin !== undefined && !url.startsWith('https:')) {
      throw new Failure('usage', `${url} is plain HTTP and has no certificate to pin.`, 'Use its https address.');
    }
    const pin = flags.pin === undefined ? (before?.url === url ? before.pin : null) : pinOf(flags.pin);
    const wgInterface = flags.wgInterface ?? before?.interface ?? DEFAULT_INTERFACE;
    const token = await givenToken(context, flags);
    const consent = before?.url === url ? keptConsent(host.consent(before)) : NOTHING_AGREED;
    host.file.write({ url, token, pin, interface: wgInterface, connected: before?.connected ?? false, ...consent });
    io.say(`Wrote ${host.file.path}. Connect with \`sallyport connect\`.`);
    if (context.globals.json) await io.print(jsonText({ url, file: host.file.path, interface: wgInterface }, 2));
  },
});
