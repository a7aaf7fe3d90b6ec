import * as z from 'zod/mini';
import { askEvery } from '../../host/askEvery.ts';
import { hostCommand } from '../../host/hostCommand.ts';
import { hostService } from '../../host/systemd.ts';
import { jsonText } from '../../ui/json.ts';

export const install = hostCommand({
  description:
    'Have systemd keep this host connected, from now on and from each start of the machine: it follows what the administrator changes, and tries again with growing pauses while the gateway cannot be reached.',
  flags: z.strictObject({ every: askEvery.flag }),
  help: { every: askEvery.help },
  examples: ['sudo sallyport service install', 'sudo sallyport service install --every 60'],
  async run(context, { every }) {
    const host = await context.host();
    const service = hostService(host);
    const config = host.config();
    await service.install(every);
    context.io.say(`Installed ${service.path}; this host stays connected to ${config.url}.`);
    if (context.globals.json) await context.io.print(jsonText({ unit: service.path, ...(await service.state()) }, 2));
  },
});
