import {
  type Problem,
  check,
  httpService,
  httpServicePatch,
  tcpService,
  tcpServicePatch,
} from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { Failure, command } from '../../context.ts';
import { changesOf, contractHelp } from '../../ui/contractHelp.ts';
import { show } from '../../ui/show.ts';
import { findService, saySaved, whichFlags, whichHelp } from '../../which.ts';

const httpFields = z.omit(httpServicePatch, { id: true });
const tcpFields = z.omit(tcpServicePatch, { id: true });
// Which kind it is shows when it is found; until then the flags of both may be meant.
const flags = z.strictObject({ ...httpFields.shape, ...tcpFields.shape, ...whichFlags });

export const edit = command({
  description:
    'Change a service. What is not given stays as it is; an empty value takes one away. HTTP and TCP services have flags of their own.',
  flags,
  words: ['service'],
  help: contractHelp(flags, z.object({ ...tcpService.shape, ...httpService.shape }), {
    ...whichHelp,
    ttl: { text: 'close it by itself after this time, like 30s, 10m, 2h or 1d', value: 'time' },
    port: { text: 'the public port (TCP services)' },
    proto: { text: 'the transport (TCP services)' },
    ssl: { text: 'the gateway terminates TLS (TCP services)', negatable: true },
  }),
  examples: [
    'sallyport service edit web --backend-port 8081',
    'sallyport service edit web --allowed-ips 192.0.2.0/24,198.51.100.7',
    "sallyport service edit web --allowed-ips ''",
  ],
  async run(context, { service, node, type, ...given }) {
    changesOf(given);
    const found = await findService(context, { service, node, type });
    const target = { params: { nodeId: found.nodeId, id: found.id } };
    const client = await context.client();
    const options = { signal: context.signal, ifMatch: found.version };
    const saved =
      found.type === 'http'
        ? await client.httpService.update({ ...target, body: fitting(httpFields, given, found) }, options)
        : await client.tcpService.update({ ...target, body: fitting(tcpFields, given, found) }, options);
    await show(context, { type: found.type, ...saved });
    saySaved(context, saved);
  },
});

/** What was given, as far as a service of this kind has it; a flag of the other kind is wrong usage. */
function fitting<S extends z.ZodMiniType>(
  fields: S,
  given: object,
  { type, name }: { type: string; name: string },
): z.output<S> {
  const checked = check(fields, given);
  if (checked.ok) return checked.value;
  throw new Failure(
    'usage',
    `"${name}" is ${type === 'http' ? 'an HTTP' : 'a TCP'} service: ${checked.problems.map(sentence).join(', ')}.`,
    'See --help.',
  );
}

const sentence = ({ message }: Problem) => message;
