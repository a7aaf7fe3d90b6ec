import * as z from 'zod/mini';
import { command } from '../context.ts';
import { Failure } from '../failure.ts';

export const top = command({
  description: 'Watch the nodes and the services of the gateway live, what fails first, until q or Ctrl+C.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sallyport top'],
  async run(context) {
    if (!context.io.isTerminal || context.globals.json) {
      throw new Failure(
        'usage',
        'top draws on a terminal.',
        'For programs there is `sallyport node list --watch --json`.',
      );
    }
    const { watchTop } = await import('../ui/watchTop.tsx');
    await watchTop(context);
  },
});
