import type { Client } from '@sallyport/sdk';
import { printable } from '@sallyport/sdk';
import type { ServiceType } from '@sallyport/sdk/contract';
import { Failure } from '../failure.ts';
import { type OwnService, onlyOne } from './expose.ts';

/** The service of this host with this name or id. @throws {Failure} `missing`, with what there is */
export async function ownService(
  { cli }: Client,
  type: ServiceType,
  text: string,
  signal: AbortSignal,
): Promise<OwnService> {
  const { data } = type === 'http' ? await cli.listHttp({}, { signal }) : await cli.listTcp({}, { signal });
  const found = onlyOne(data, text);
  if (found !== undefined) return found;
  const list = data.map(({ id, name }) => `  ${id}  ${printable(name)}`).join('\n');
  throw new Failure(
    'missing',
    `This host has no ${type} service "${text}".`,
    list === '' ? `Expose one with \`sallyport ${type} NAME --port PORT\`.` : `There are:\n${list}`,
  );
}
