import { join } from 'node:path';
import { type Client, createClient, isApiError } from '@sallyport/sdk';
import type { Node } from '@sallyport/sdk/contract';
import { printable } from '@sallyport/sdk/lines';
import { hashOfToken, newToken, SESSION_TOKEN } from '../api/authenticate.ts';
import { readConfig } from '../config.ts';
import { StartError } from '../machine/startError.ts';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import { inUrl } from '../start/startMessage.ts';
import { openStore } from '../store/store.ts';
import { withoutRoom } from './noRoom.ts';
import { type DomainOutcome, importDomains } from './importDomains.ts';
import type { ImportPlan, PlannedService } from './importPlan.ts';

/** What becomes of a planned service, or became. */
export type Outcome = { service: PlannedService; state: 'new' | 'there' | 'made' | 'failed'; reason: string | null };

const LINE_MAX_CHARS = 400;
const WORDS = { new: 'new', there: 'there already', made: 'made', failed: 'not made' } as const;

/** What was written by others, on one line that says what it is and fills no screen. */
export const lineOf = (text: string): string =>
  printable(text.length > LINE_MAX_CHARS ? `${text.slice(0, LINE_MAX_CHARS)}…` : text);

/** An outcome in words, what is otherwise below it. */
export const outcomeText = ({ service, state, reason }: Outcome): string => itemText(service, state, reason);

/** What became of a domain in words. */
export const domainText = ({ domain: { domain, notes }, state, reason }: DomainOutcome): string =>
  itemText({ title: `domain ${domain}`, closed: null, notes }, state, reason);

function itemText(
  { title, closed, notes }: Pick<PlannedService, 'title' | 'closed' | 'notes'>,
  state: Outcome['state'],
  reason: string | null,
): string {
  const closedText = closed === null ? [] : [`closed: ${closed}`];
  const said = [...(reason === null ? [] : [reason]), ...(state === 'there' ? [] : [...closedText, ...notes])];
  return [`${WORDS[state]}: ${title}`, ...said.map((text) => `    ${text}`)].map(lineOf).join('\n');
}

/** What is not taken in, in words. */
export const leftText = ({ what, why }: ImportPlan['left'][number]): string =>
  `not taken in: ${lineOf(what)}: ${lineOf(why)}`;

const SESSION_MS = 60 * 60 * 1000;
/** Lets no one in, until a service is closed. */
const EVERYBODY = ['0.0.0.0/0', '::/0'];

/**
 * Compares a plan with the domains and services that the running gateway has, and makes those that are missing. Each is checked by the
 * gateway as one that an administrator makes in the console. A second time it changes nothing; killed, it goes on then.
 * @param options.node the name of the node behind which the backends are
 * @param options.apply false: nothing is changed
 * @throws {StartError} when no gateway runs, or it has no such node
 */
export async function importServices(
  env: NodeJS.ProcessEnv,
  plan: ImportPlan,
  { node: nodeName, apply, told }: { node: string; apply: boolean; told(outcome: Outcome | DomainOutcome): void },
): Promise<{ domains: DomainOutcome[]; outcomes: Outcome[] }> {
  return withClient(env, async (client, dataDirectory) => {
    const nodes: Node[] = [];
    for await (const each of client.node.all()) nodes.push(each);
    const node = nodes.find(({ name }) => name === nodeName);
    if (node === undefined) {
      throw new StartError(`There is no node ${JSON.stringify(nodeName)}. Name another with --node.`);
    }
    const target = node.id;
    const { outcomes: domains, taken } = await importDomains(client, plan.domains, {
      dataDirectory,
      node,
      nodes,
      apply,
      told,
    });
    const there = new Map<string, Existing>();
    for await (const each of client.httpService.all()) there.set(placeOf(each), each);
    for await (const each of client.tcpService.all()) there.set(placeOf(each), each);
    const outcomes: Outcome[] = [];
    for (const service of plan.services) {
      const outcome = await makeOne(service);
      outcomes.push(outcome);
      told(outcome);
    }
    return { domains, outcomes };

    async function makeOne(service: PlannedService): Promise<Outcome> {
      const existing = there.get(placeOf(service.body));
      const refusal = ('domain' in service.body ? taken.get(service.body.domain) : undefined) ?? othersAt(existing);
      if (refusal !== null) return { service, state: 'failed', reason: refusal };
      if (existing !== undefined && !isHalfMade(existing, service)) return { service, state: 'there', reason: null };
      if (!apply) return { service, state: 'new', reason: null };
      try {
        if (existing === undefined) await make(client, target, service);
        else await close(client, existing, service);
        return { service, state: 'made', reason: null };
      } catch (error) {
        return { service, state: 'failed', reason: isApiError(error) ? error.message : String(error) };
      }
    }

    /** Why a place is not the import's: what is there is another node's, whatever it looks like; null: it is free or its own. */
    function othersAt(existing: Existing | undefined): string | null {
      if (existing === undefined || existing.nodeId === target) return null;
      const { name = '' } = nodes.find(({ id }) => id === existing.nodeId) ?? {};
      return `the service ${JSON.stringify(existing.name)} of the node ${JSON.stringify(name)} is there`;
    }
  });
}

/** Where visitors find a service: two have not the same place. */
const placeOf = (at: { domain?: string | null; pathLocation?: string; proto?: string; port?: number | null }): string =>
  at.proto === undefined ? `${at.domain} ${at.pathLocation}` : `${at.proto} ${at.port}`;

/** What is looked at of a service that is there. */
type Existing = { id: number; nodeId: number; name: string; blockedIps: string[] | null };

/** Whether an import was killed while it made this one, which lets no one in until it is closed and has its own lists. */
const isHalfMade = ({ blockedIps }: Existing, { closed, body }: PlannedService): boolean =>
  closed !== null && isEverybody(blockedIps) && !isEverybody(body.blockedIps);

const isEverybody = (list: string[] | null): boolean =>
  list?.length === EVERYBODY.length && EVERYBODY.every((each) => list.includes(each));

const callsOf = (client: Client, { kind }: PlannedService): Client['httpService'] =>
  (kind === 'http' ? client.httpService : client.tcpService) as Client['httpService'];

/** One that is to be closed is never open, not for a moment. */
async function make(client: Client, nodeId: number, service: PlannedService): Promise<void> {
  const { body, closed } = service;
  const first = closed === null ? body : { ...body, allowedIps: null, blockedIps: EVERYBODY };
  const { id } = await callsOf(client, service).create({ params: { nodeId }, body: first });
  if (closed !== null) await close(client, { id, nodeId }, service);
}

async function close(client: Client, params: Pick<Existing, 'id' | 'nodeId'>, service: PlannedService): Promise<void> {
  const { id, nodeId } = params;
  const { allowedIps, blockedIps } = service.body;
  await callsOf(client, service).disable({ params: { id, nodeId } });
  await callsOf(client, service).update({ params: { id, nodeId }, body: { allowedIps, blockedIps } });
}

/** A client with a session of its own, which ends with the work: anyone who can write the database needs no password. */
async function withClient<T>(
  env: NodeJS.ProcessEnv,
  work: (client: Client, dataDirectory: string) => Promise<T>,
): Promise<T> {
  const { dataDirectory, listen } = readConfig(env);
  const baseUrl = `http://${inUrl(listen.host)}:${listen.port}`;
  const isRunning = await fetch(`${baseUrl}/healthz`).then(
    () => true,
    () => false,
  );
  if (!isRunning) throw new StartError('The gateway does not run. Start it first: systemctl start sallyport-gateway');
  const token = newToken(SESSION_TOKEN);
  const tokenHash = hashOfToken(token);
  const expiresAt = new Date(Date.now() + SESSION_MS).toISOString();
  const store = openStore(join(dataDirectory, DATABASE_FILE), () => new Date(), { mayMigrate: false });
  try {
    await store.write((tx) => tx.sessions.create({ tokenHash, keyThumbprint: null, expiresAt }));
  } catch (error) {
    throw withoutRoom(error, dataDirectory);
  } finally {
    await store.close();
  }
  const client = createClient({ baseUrl, token });
  try {
    return await work(client, dataDirectory);
  } finally {
    await client.session.logout().catch(() => undefined);
  }
}
