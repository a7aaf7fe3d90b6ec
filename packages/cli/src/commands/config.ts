import * as z from 'zod/mini';
import { command, gatewayUrl, hostCommandLine } from '../context.ts';
import { givenPin, givenToken, pinFlag, tokenFlags } from '../host/credentials.ts';
import { DEFAULT_INTERFACE, NOTHING_AGREED, interfaceFlag, isGatewayAt, keptConsent } from '../host/hostConfig.ts';

export const config = command({
  description:
    "Write this host's configuration without connecting: the gateway and the token of the node. The token is read from standard input, a file or SALLYPORT_TOKEN, else asked for; it is never part of the command.",
  flags: z.strictObject({ ...tokenFlags.flags, ...pinFlag.flags, ...interfaceFlag.flags }),
  help: { ...tokenFlags.help, ...pinFlag.help, ...interfaceFlag.help },
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
    const pin = givenPin({ url, pin: flags.pin, before });
    const wgInterface = flags.wgInterface ?? before?.interface ?? DEFAULT_INTERFACE;
    const token = await givenToken(context, flags);
    const consent = before && isGatewayAt(before, url) ? keptConsent(host.consent(before)) : NOTHING_AGREED;
    host.file.write({ url, token, pin, interface: wgInterface, connected: before?.connected ?? false, ...consent });
    io.say(`Wrote ${host.file.path}. Connect with \`${hostCommandLine(context.env, 'connect')}\`.`);
    await io.answer({ url, file: host.file.path, interface: wgInterface });
  },
});
