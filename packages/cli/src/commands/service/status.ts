import * as z from 'zod/mini';
import { Failure } from '../../context.ts';
import { hostCommand } from '../../host/hostCommand.ts';
import { hostService } from '../../host/systemd.ts';
import { jsonText } from '../../ui/json.ts';

export const status = hostCommand({
  description:
    'Say whether the service that keeps this host connected is installed and runs. The exit code is 0 only when it runs, else 3. Whether the host is connected, `sallyport status` says.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sallyport service status'],
  async run({ io, globals, host }) {
    const service = hostService(await host());
    const found = await service.state();
    const words = found.isActive ? 'runs' : found.isInstalled ? 'installed, but does not run' : 'not installed';
    await io.print(globals.json ? jsonText({ unit: service.path, ...found }, 2) : `${words}\n`);
    if (found.isActive) return;
    throw new Failure(
      'disconnected',
      'The service does not run.',
      found.isInstalled ? 'See `journalctl -u sallyport`.' : 'Install it with `sallyport service install`.',
    );
  },
});
