import { field, serviceTypes } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { hostCommand } from '../host/hostCommand.ts';
import { ownService } from '../host/expose.ts';
import { jsonText } from '../ui/json.ts';

export const disable = hostCommand({
  description: 'Close a service of this host to visitors, and end the connections that are open.',
  words: ['type', 'service'],
  flags: z.strictObject({ type: field.oneOf(serviceTypes), service: z.string() }),
  help: {
    type: { text: 'which kind of service' },
    service: { text: 'the service, by its name or id', value: 'name|id' },
  },
  examples: ['sudo sallyport disable http web', 'sudo sallyport disable tcp 7'],
  async run(context, { type, service: text }) {
    const host = await context.host();
    const client = await host.client(host.config());
    const { signal } = context;
    const { id } = await ownService(client, type, text, signal);
    const { disableHttp, disableTcp } = client.cli;
    const call = { params: { id } };
    const service = type === 'http' ? await disableHttp(call, { signal }) : await disableTcp(call, { signal });
    context.io.say(`Closed "${service.name}".`);
    if (context.globals.json) await context.io.print(jsonText({ type, service }, 2));
  },
});
