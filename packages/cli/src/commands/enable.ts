import { field, serviceTypes, timeToLive } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { tellExposed, ownService } from '../host/expose.ts';
import { hostCommand } from '../host/hostCommand.ts';

export const enable = hostCommand({
  description: 'Open a service of this host again, until it is disabled or for the time that --ttl says.',
  words: ['type', 'service'],
  flags: z.strictObject({ type: field.oneOf(serviceTypes), service: z.string(), ttl: timeToLive.ttl }),
  help: {
    type: { text: 'which kind of service' },
    service: { text: 'the service, by its name or id', value: 'name|id' },
    ttl: { text: 'close it after this time, e.g. 30m, 2h or 1d', value: 'time' },
  },
  examples: ['sudo sallyport enable http web', 'sudo sallyport enable tcp 7 --ttl 2h'],
  async run(context, { type, service, ttl }) {
    const host = await context.host();
    const client = await host.client(host.config());
    const { signal } = context;
    const { id, version } = await ownService(client, type, service, signal);
    const { enableHttp, enableTcp } = client.cli;
    const call = { params: { id }, body: { ttl } };
    const options = { signal, ifMatch: version };
    const opened = type === 'http' ? await enableHttp(call, options) : await enableTcp(call, options);
    await tellExposed(context, type, {
      service: opened,
      change: 'changed',
      domainCreated: false,
      domainIsOwnName: false,
    });
  },
});
