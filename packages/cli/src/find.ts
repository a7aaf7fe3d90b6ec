import { printable } from '@sallyport/sdk';
import {
  type ApiToken,
  type Domain,
  type JoinKey,
  type Node,
  type Token,
  field,
  serviceTypes,
} from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { type ServiceRow, httpRow, tcpRow } from './ui/columns.ts';

// Things are found by what an operator calls them: a name, or an id. A `missing` failure lists what comes near.

const byName = { text: 'its name or id; id:7 is the id alone', value: 'name|id' } as const;

/** How a command line says which node it means. */
export const whichNode = { flags: { node: field.requiredText() }, help: { node: byName } };

/** How a command line says which domain it means. */
export const whichDomain = { flags: { domain: field.requiredText() }, help: { domain: byName } };

/** How a command line says which service it means. */
export const whichService = {
  flags: {
    service: field.requiredText(),
    node: z.optional(z.string()),
    type: z.optional(field.oneOf(serviceTypes)),
  },
  help: {
    service: byName,
    node: { text: 'look for it on this node', value: 'name|id' },
    type: { text: 'look for a service of this type' },
  },
} as const;

/** How a command line says which access token it means. */
export const whichToken = {
  flags: { token: field.requiredText(), node: field.requiredText() },
  help: { token: byName, node: { text: 'the node that it belongs to', value: 'name|id' } },
} as const;

/** How a command line says which join key it means. */
export const whichJoinKey = { flags: { joinKey: field.requiredText() }, help: { joinKey: byName } };

/** How a command line says which API token it means. */
export const whichApiToken = { flags: { token: field.requiredText() }, help: { token: byName } } as const;

/** Finds the node of this name or id. */
export async function findNode(context: Context, text: string): Promise<Node> {
  const { data } = await (await context.client()).node.list({}, { signal: context.signal });
  return only('node', data, text, nameOf, lineOf);
}

/** Finds the domain of this name or id. */
export async function findDomain(context: Context, text: string): Promise<Domain> {
  const { data } = await (await context.client()).domain.list({}, { signal: context.signal });
  const label = ({ domain }: Domain) => domain;
  return only('domain', data, text.toLowerCase(), label, ({ id, domain }) => `${id}  ${printable(domain)}`);
}

type WhichService = { service: string; node?: string | undefined; type?: ServiceRow['type'] | undefined };

/** Finds the one service that is meant. */
export async function findService(context: Context, { service, node, type }: WhichService): Promise<ServiceRow> {
  const query = node === undefined ? {} : { nodeId: (await findNode(context, node)).id };
  const { signal } = context;
  const client = await context.client();
  const [http, tcp] = await Promise.all([
    type === 'tcp' ? [] : client.httpService.listAll({ query }, { signal }).then(({ data }) => data),
    type === 'http' ? [] : client.tcpService.listAll({ query }, { signal }).then(({ data }) => data),
  ]);
  return only('service', [...http.map(httpRow), ...tcp.map(tcpRow)], service, nameOf, serviceLine);
}

/** Finds the access token that is meant. */
export async function findToken(context: Context, { token, node }: { token: string; node: string }): Promise<Token> {
  const { id } = await findNode(context, node);
  const { data } = await (await context.client()).token.list({ params: { id } }, { signal: context.signal });
  return only('access token', data, token, nameOf, lineOf);
}

/** Finds the join key that is meant. */
export async function findJoinKey(context: Context, text: string): Promise<JoinKey> {
  const { data } = await (await context.client()).joinKey.list({}, { signal: context.signal });
  return only('join key', data, text, nameOf, lineOf);
}

/** Finds the API token that is meant. */
export async function findApiToken(context: Context, text: string): Promise<ApiToken> {
  const { data } = await (await context.client()).apiToken.list({}, { signal: context.signal });
  return only('API token', data, text, nameOf, lineOf);
}

const nameOf = ({ name }: { name: string }) => name;
const lineOf = ({ id, name }: { id: number; name: string }) => `${id}  ${printable(name)}`;
const serviceLine = ({ type, id, name, nodeId, publicAccess }: ServiceRow) =>
  `${id}  ${printable(name)}  ${type}  node ${nodeId}  ${printable(publicAccess)}`;

/**
 * The one of this name or id. A name may be made of digits, and nodes name their services: two that fit are two. `id:7` is
 * the one of the id 7 alone, whatever others are called.
 */
function only<T extends { id: number }>(
  noun: string,
  all: readonly T[],
  text: string,
  label: (row: T) => string,
  line: (row: T) => string,
): T {
  const id = /^id:(\d+)$/.exec(text)?.[1];
  const found = all.filter((row) => String(row.id) === (id ?? text) || (id === undefined && label(row) === text));
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  if (first) {
    const byId = `Say which one by its id, as id:${first.id}`;
    const how = noun === 'service' ? `${byId}, with --type, or by --node:` : `${byId}:`;
    throw new Failure(
      'missing',
      `More than one ${noun} has the name or the id "${text}".`,
      `${how}\n${candidates(found.map(line))}`,
    );
  }
  const alike = all.filter((row) => label(row).toLowerCase().includes(text.toLowerCase()));
  const near = alike.length > 0 ? alike : all;
  throw new Failure(
    'missing',
    `There is no ${noun} "${text}".`,
    near.length > 0 ? `There are:\n${candidates(near.map(line))}` : `There is no ${noun} at all yet.`,
  );
}

const CANDIDATES_SHOWN = 10;

function candidates(lines: readonly string[]): string {
  const more = lines.length > CANDIDATES_SHOWN ? [`and ${lines.length - CANDIDATES_SHOWN} more`] : [];
  return [...lines.slice(0, CANDIDATES_SHOWN), ...more].map((line) => `  ${line}`).join('\n');
}
