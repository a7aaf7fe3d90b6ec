import * as z from 'zod/mini';
import { hostCommand } from '../../host/hostCommand.ts';
import { hostService, type Uninstalled } from '../../host/systemd.ts';
import { jsonText } from '../../ui/json.ts';

const WORDS: Record<Uninstalled, (path: string) => string> = {
  removed: (path) => `Removed ${path}. Connect by hand with \`sallyport connect\`.`,
  stopped: () => 'Stopped the service, whose unit belongs to the package. Connect by hand with `sallyport connect`.',
  none: () => 'There was no service.',
};

export const uninstall = hostCommand({
  description:
    'Stop the service that keeps this host connected and remove it. The host disconnects; its configuration stays.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sudo sallyport service uninstall'],
  async run(context) {
    const service = hostService(await context.host());
    const became = await service.uninstall();
    context.io.say(WORDS[became](service.path));
    if (context.globals.json) await context.io.print(jsonText({ wasInstalled: became !== 'none' }, 2));
  },
});
