import * as z from 'zod/mini';
import { hostCommand } from '../../host/hostCommand.ts';
import { hostService } from '../../host/systemd.ts';
import { jsonText } from '../../ui/json.ts';

export const uninstall = hostCommand({
  description:
    'Stop the service that keeps this host connected and remove it. The host disconnects; its configuration stays.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sudo sallyport service uninstall'],
  async run(context) {
    const service = hostService(await context.host());
    const wasThere = await service.uninstall();
    context.io.say(
      wasThere ? `Removed ${service.path}. Connect by hand with \`sallyport connect\`.` : 'There was no service.',
    );
    if (context.globals.json) await context.io.print(jsonText({ wasInstalled: wasThere }, 2));
  },
});
