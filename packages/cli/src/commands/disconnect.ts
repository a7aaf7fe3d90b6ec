import * as z from 'zod/mini';
import { keptConsent } from '../host/hostConfig.ts';
import { hostCommand } from '../host/hostCommand.ts';
import { jsonText } from '../ui/json.ts';

export const disconnect = hostCommand({
  description:
    'Take the tunnel of this host down, and keep it down until `sallyport connect`. The node, its token and its services stay.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sudo sallyport disconnect'],
  async run(context) {
    const { io } = context;
    const host = await context.host();
    host.requireRoot('disconnect this host');
    const config = host.config();
    // First what the service of this host follows, or it would connect again.
    if (config.connected) host.file.write({ ...config, ...keptConsent(host.consent(config)), connected: false });
    const wasUp = await host.tunnel(config.interface).down();
    io.say(wasUp ? 'Disconnected.' : 'This host was not connected.');
    if (context.globals.json) await io.print(jsonText({ wasConnected: wasUp, isConnected: false }, 2));
  },
});
