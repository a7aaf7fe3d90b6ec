import type { Client } from '@sallyport/sdk';
import { ApiError, printable } from '@sallyport/sdk';
import type { HttpService, Node, ServiceType, TcpService } from '@sallyport/sdk/contract';
import { Failure } from './failure.ts';

/** A service as the command line names it. */
export type FoundService = { type: ServiceType; id: number; name: string; nodeId: number; publicAccess: string };

/** What is known about the service that is looked for. */
export type ServiceHint = { text: string; nodeId?: number | undefined; type?: ServiceType | undefined };

/** Finds things by what an operator calls them: a name, or an id. */
export type Finder = {
  /** The node of this name or id; a `missing` failure names those that come near. */
  node(text: string): Promise<Node>;
  /** The one service of this name or id; a `missing` failure lists the candidates when there is none, or more than one. */
  service(hint: ServiceHint): Promise<FoundService>;
};

const CANDIDATES_SHOWN = 10;

export function createFinder(client: Client): Finder {
  return {
    async node(text) {
      const { data } = await client.node.list();
      const [found, ...others] = named(data, text);
      if (found && others.length === 0) return found;
      const candidates = found ? [found, ...others] : near(data, text);
      throw notOne(
        found !== undefined,
        'node',
        text,
        candidates.map(({ id, name }) => `${id}  ${printable(name)}`),
      );
    },
    async service({ text, nodeId, type }) {
      const query = nodeId === undefined ? {} : { nodeId };
      const [http, tcp] = await Promise.all([
        type === 'tcp' ? [] : client.httpService.listAll({ query }).then(({ data }) => data.map(asFound('http'))),
        type === 'http'
          ? []
          : client.tcpService.listAll({ query }).then(({ data }) => data.map(asFound('tcp')), noneYet),
      ]);
      const all = [...http, ...tcp];
      const [found, ...others] = named(all, text);
      if (found && others.length === 0) return found;
      const candidates = found ? [found, ...others] : near(all, text);
      throw notOne(found !== undefined, 'service', text, candidates.map(serviceLine));
    },
  };
}

const asFound =
  (type: ServiceType) =>
  ({ id, name, nodeId, publicAccess }: HttpService | TcpService): FoundService => ({
    type,
    id,
    name,
    nodeId,
    publicAccess,
  });

/** A gateway that cannot do TCP services yet has none. */
function noneYet(error: unknown): FoundService[] {
  if (error instanceof ApiError && error.status === 501) return [];
  throw error;
}

/** A name wins over an id, for a name may be made of digits. */
function named<T extends { id: number; name: string }>(all: readonly T[], text: string): T[] {
  const byName = all.filter(({ name }) => name === text);
  return byName.length > 0 ? byName : all.filter(({ id }) => String(id) === text);
}

function near<T extends { name: string }>(all: readonly T[], text: string): T[] {
  const part = text.toLowerCase();
  const alike = all.filter(({ name }) => name.toLowerCase().includes(part));
  return alike.length > 0 ? alike : [...all];
}

const serviceLine = ({ type, id, name, nodeId, publicAccess }: FoundService) =>
  `${id}  ${printable(name)}  ${type}  node ${nodeId}  ${printable(publicAccess)}`;

function notOne(ambiguous: boolean, noun: string, text: string, candidates: string[]): Failure {
  const shown = candidates.slice(0, CANDIDATES_SHOWN).map((line) => `  ${line}`);
  const more = candidates.length > CANDIDATES_SHOWN ? [`  and ${candidates.length - CANDIDATES_SHOWN} more`] : [];
  const list = [...shown, ...more].join('\n');
  if (ambiguous) {
    const how = noun === 'service' ? 'Say which one by its id with --type, or by --node:' : 'Say which one by its id:';
    return new Failure('missing', `More than one ${noun} is called "${printable(text)}".`, `${how}\n${list}`);
  }
  return new Failure(
    'missing',
    `There is no ${noun} "${printable(text)}".`,
    candidates.length > 0 ? `There are:\n${list}` : `There is no ${noun} at all yet.`,
  );
}
