import { objectKey, type ObjectKey } from '../rules/attempt.ts';
import type { ConfigFile, DesiredState, Owner, OwnerKind } from './render/desiredState.ts';
import { ownerOf } from './render/configText.ts';
import type { Desired } from '../store/store.ts';
import type { Fault } from './nginx/faults.ts';

/** Whose fault it is, and why, in a sentence. */
export type Culprit = { kind: OwnerKind; id: number; reason: string };

/** An object that nginx refused: rendered as 503, or, when that did not help, left out. */
export type Quarantined = Culprit & { version: number; level: 'closed' | 'out' };

/** The objects that nginx refused, by their key. */
export type Quarantine = Map<ObjectKey, Quarantined>;

/** The state without what is quarantined. */
export function withoutQuarantined(state: DesiredState, quarantine: ReadonlyMap<ObjectKey, Quarantined>): DesiredState {
  if (quarantine.size === 0) return state;
  const apply = <T extends { id: number; closed: boolean }>(kind: OwnerKind, objects: readonly T[]): T[] =>
    objects.flatMap((object) => {
      const level = quarantine.get(objectKey(kind, object.id))?.level;
      if (level === undefined) return [object];
      return level === 'out' ? [] : [{ ...object, closed: true }];
    });
  return {
    domains: apply('domain', state.domains),
    httpServices: apply('httpService', state.httpServices),
    tcpServices: apply('tcpService', state.tcpServices),
  };
}

/** Puts an object into quarantine, or deeper into it; `out`: as deep as it goes. */
export function isolate(
  quarantine: Quarantine,
  { kind, id, reason }: Culprit,
  desired: Desired,
  depth: 'next' | 'out' = 'next',
): void {
  const key = objectKey(kind, id);
  const before = quarantine.get(key);
  const version = rowsOf(desired, kind).find((row) => row.id === id)?.version ?? 0;
  // A port is closed by not listening on it: there is nothing between that and leaving the service out.
  const level = depth === 'next' && before === undefined && kind !== 'tcpService' ? 'closed' : 'out';
  quarantine.set(key, { kind, id, version, level, reason: before?.reason ?? reason });
}

/** Quarantine belongs to a row as it was; another version of it is tried again. */
export function forgetChanged(quarantine: Quarantine, desired: Desired): void {
  for (const [key, { kind, id, version }] of quarantine) {
    if (rowsOf(desired, kind).find((row) => row.id === id)?.version !== version) quarantine.delete(key);
  }
}

const rowsOf = (desired: Desired, kind: OwnerKind): readonly { id: number; version: number }[] =>
  desired[({ domain: 'domains', httpService: 'httpServices', tcpService: 'tcpServices' } as const)[kind]];

/** The objects to which faults lead, each with the first fault that does. */
export function findOwners(owners: readonly Owner[], faults: readonly Fault[]): Culprit[] {
  const found = new Map<ObjectKey, Culprit>();
  for (const fault of faults) {
    const owner = ownerOf(owners, fault);
    if (owner === null) continue;
    const key = objectKey(owner.kind, owner.id);
    if (!found.has(key)) found.set(key, { ...owner, reason: asSentence(fault.message) });
  }
  return [...found.values()];
}

/** Of a state only these objects, and the domains of the services among them. */
export function partOf(state: DesiredState, isPart: (kind: OwnerKind, id: number) => boolean): DesiredState {
  const httpServices = state.httpServices.filter(({ id }) => isPart('httpService', id));
  const tcpServices = state.tcpServices.filter(({ id }) => isPart('tcpService', id));
  const names = new Set([...httpServices, ...tcpServices].map(({ domain }) => domain));
  const domains = state.domains.filter(({ id, domain }) => isPart('domain', id) || names.has(domain));
  return { domains, httpServices, tcpServices };
}

/**
 * Looks for an object without which nginx takes the configuration, by halving; null when the fault is no one's. Where
 * only several together are refused, a node's are to blame before the gateway's, and what was just changed before the rest.
 * @param render the files of a state; `check` asks nginx about files; `isChanged` tells what was just changed
 */
export async function bisect(
  state: DesiredState,
  render: (state: DesiredState) => ConfigFile[],
  check: (files: ConfigFile[]) => Promise<Fault[]>,
  isChanged: (kind: OwnerKind, id: number) => boolean = () => false,
): Promise<Culprit | null> {
  const all: { kind: OwnerKind; id: number; isNodes: boolean; domain: string | null }[] = [
    ...state.domains.map(({ id, users, domain }) => ({
      kind: 'domain' as const,
      id,
      isNodes: users !== 'gateway',
      domain,
    })),
    ...state.httpServices.map(({ id, remoteNode, domain }) => ({
      kind: 'httpService' as const,
      id,
      isNodes: remoteNode !== null,
      domain,
    })),
    // A port shares nothing with websites.
    ...state.tcpServices.map(({ id }) => ({ kind: 'tcpService' as const, id, isNodes: true, domain: null })),
  ];
  const ownRank = ({ kind, id, isNodes }: Omit<(typeof all)[number], 'domain'>): number =>
    (isNodes ? 2 : 0) + (isChanged(kind, id) ? 1 : 0);
  const domainRanks = new Map(
    all.flatMap((one) => (one.kind === 'domain' ? [[one.domain, ownRank(one)] as const] : [])),
  );
  // A service comes after its domain, without which nothing of it is rendered.
  const rankOf = (one: (typeof all)[number]): number => Math.max(ownRank(one), domainRanks.get(one.domain) ?? 0);
  const candidates = all.toSorted((one, other) => rankOf(one) - rankOf(other));
  const faultsOfFirst = async (count: number): Promise<Fault[]> => {
    const kept = new Set(candidates.slice(0, count).map(({ kind, id }) => objectKey(kind, id)));
    return check(
      render({
        domains: state.domains.filter(({ id }) => kept.has(objectKey('domain', id))),
        httpServices: state.httpServices.filter(({ id }) => kept.has(objectKey('httpService', id))),
        tcpServices: state.tcpServices.filter(({ id }) => kept.has(objectKey('tcpService', id))),
      }),
    );
  };
  if ((await faultsOfFirst(0)).length > 0) return null;
  let faults = await faultsOfFirst(candidates.length);
  if (faults.length === 0) return null;
  let good = 0;
  let bad = candidates.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const found = await faultsOfFirst(middle);
    if (found.length === 0) good = middle;
    else {
      bad = middle;
      faults = found;
    }
  }
  const culprit = candidates[bad - 1];
  if (culprit === undefined) return null;
  return { kind: culprit.kind, id: culprit.id, reason: asSentence(faults[0]?.message ?? '') };
}

const KNOWN: [pattern: RegExp, sentence: (...groups: string[]) => string][] = [
  [/^invalid parameter "([^"]*)"$/, (value) => `nginx does not accept the value "${value}".`],
  [
    /cannot load certificate(?: key)? "[^"]*"/,
    () =>
      'Its certificate cannot be read. It is looked at again by itself; delete the domain and add it again to get a new one.',
  ],
  [/key values mismatch/, () => 'Its certificate and its private key do not belong together.'],
  [/^conflicting server name|^duplicate /, () => 'It is configured twice.'],
  [
    /^(?:bind|listen)\(\) to .*:(\d+) failed \(98:/,
    (port) => `Port ${port} is in use by another process. Free it or choose another port.`,
  ],
  [
    /^(?:bind|listen)\(\) to .*:(\d+) failed \(13:/,
    (port) => `nginx may not listen on port ${port}. Choose a port above 1023.`,
  ],
];

/** nginx's words as a sentence for the administrator; without paths, which mean nothing to them. */
function asSentence(message: string): string {
  for (const [pattern, sentence] of KNOWN) {
    const match = pattern.exec(message);
    if (match !== null) return sentence(...match.slice(1));
  }
  const words = message
    .replaceAll(/"\/[^"]*"/g, 'a file')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 200);
  return `nginx refuses it: ${words}.`;
}
