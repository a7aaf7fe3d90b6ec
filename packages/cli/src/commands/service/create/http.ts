import { field, httpService, httpServiceDefaults, httpServiceInput } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../../context.ts';
import { contractHelp } from '../../../ui/contractHelp.ts';
import { show } from '../../../ui/show.ts';
import { saySaved } from '../../../which.ts';

const flags = z.extend(httpServiceInput, { node: field.requiredText() });

export const http = command({
  description:
    'Expose a web server of a node under a domain, a path, or both. The answer comes when visitors can reach it.',
  flags,
  words: ['name'],
  help: contractHelp(
    flags,
    httpService,
    {
      name: { text: 'the name of the service', value: 'name' },
      node: { text: 'the node that it is on', value: 'name|id' },
      ttl: { text: 'close it by itself after this time, like 30s, 10m, 2h or 1d', value: 'time' },
    },
    httpServiceDefaults,
  ),
  examples: [
    'sallyport service create http web --node edge --domain app.example.com --backend-port 8080',
    'sallyport service create http wiki --node site --path-location /wiki --backend-host 192.0.2.20 --ttl 2h',
  ],
  async run(context, { node, ...body }) {
    const { id: nodeId } = await (await context.find()).node(node);
    const client = await context.client();
    const saved = await client.httpService.create({ params: { nodeId }, body }, { signal: context.signal });
    await show(context, { type: 'http', ...saved });
    saySaved(context, saved);
  },
});
