import { type Client, printable } from '@sallyport/sdk';
import type { Domain, Node, ServiceType, Token } from '@sallyport/sdk/contract';
import { Failure } from './failure.ts';
import { type ServiceRow, httpRow, tcpRow } from './ui/columns.ts';

/** A service as the command line names it. */
export type FoundService = ServiceRow;

/** What is known about the service that is looked for. */
export type ServiceHint = { text: string; nodeId?: number | undefined; type?: ServiceType | undefined };

/** Finds things by what an operator calls them: a name, or an id. */
export type Finder = {
  /** The node of this name or id; a `missing` failure names those that come near. */
  node(text: string): Promise<Node>;
  /** The domain of this name or id. */
  domain(text: string): Promise<Domain>;
  /** The one service of this name or id; a `missing` failure lists the candidates when there is none, or more than one. */
  service(hint: ServiceHint): Promise<FoundService>;
  /** The access token of this name or id, of one node. */
  token(nodeId: number, text: string): Promise<Token>;
};

const CANDIDATES_SHOWN = 10;

export function createFinder(client: Client, signal: AbortSignal): Finder {
  return {
    async node(text) {
      const { data } = await client.node.list({}, { signal });
      return only('node', data, text, nameOf, ({ id, name }) => `${id}  ${printable(name)}`);
    },
    async domain(text) {
      const { data } = await client.domain.list({}, { signal });
      const label = ({ domain }: Domain) => domain;
      return only('domain', data, text.toLowerCase(), label, ({ id, domain }) => `${id}  ${printable(domain)}`);
    },
    async service({ text, nodeId, type }) {
      const query = nodeId === undefined ? {} : { nodeId };
      const [http, tcp] = await Promise.all([
        type === 'tcp' ? [] : client.httpService.listAll({ query }, { signal }).then(({ data }) => data),
        type === 'http' ? [] : client.tcpService.listAll({ query }, { signal }).then(({ data }) => data),
      ]);
      return only('service', [...http.map(httpRow), ...tcp.map(tcpRow)], text, nameOf, serviceLine);
    },
    async token(nodeId, text) {
      const { data } = await client.token.list({ params: { id: nodeId } }, { signal });
      return only('access token', data, text, nameOf, ({ id, name }) => `${id}  ${printable(name)}`);
    },
  };
}

const nameOf = ({ name }: { name: string }) => name;

/** The one of this name or id; a name wins over an id, for a name may be made of digits. */
function only<T extends { id: number }>(
  noun: string,
  all: readonly T[],
  text: string,
  label: (row: T) => string,
  line: (row: T) => string,
): T {
  const byName = all.filter((row) => label(row) === text);
  const [found, ...others] = byName.length > 0 ? byName : all.filter(({ id }) => String(id) === text);
  if (found && others.length === 0) return found;
  throw notOne(
    noun,
    text,
    found ? [found, ...others].map(line) : near(all, text, label).map(line),
    found !== undefined,
  );
}

function near<T>(all: readonly T[], text: string, label: (row: T) => string): readonly T[] {
  const part = text.toLowerCase();
  const alike = all.filter((row) => label(row).toLowerCase().includes(part));
  return alike.length > 0 ? alike : all;
}

const serviceLine = ({ type, id, name, nodeId, publicAccess }: FoundService) =>
  `${id}  ${printable(name)}  ${type}  node ${nodeId}  ${printable(publicAccess)}`;

function notOne(noun: string, text: string, candidates: string[], ambiguous: boolean): Failure {
  const shown = candidates.slice(0, CANDIDATES_SHOWN).map((line) => `  ${line}`);
  const more = candidates.length > CANDIDATES_SHOWN ? [`  and ${candidates.length - CANDIDATES_SHOWN} more`] : [];
  const list = [...shown, ...more].join('\n');
  if (ambiguous) {
    const how = noun === 'service' ? 'Say which one by its id with --type, or by --node:' : 'Say which one by its id:';
    return new Failure('missing', `More than one ${noun} is called "${text}".`, `${how}\n${list}`);
  }
  return new Failure(
    'missing',
    `There is no ${noun} "${text}".`,
    candidates.length > 0 ? `There are:\n${list}` : `There is no ${noun} at all yet.`,
  );
}
