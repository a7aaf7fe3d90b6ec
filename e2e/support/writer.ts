import { type Client, type HttpService, isApiError, type TcpService } from '@sallyport/sdk';
import { domainOf } from './scene.ts';

const SERVICES_MIN = 2;
const SERVICES_MAX = 6;

type Own = Pick<Stored, 'kind' | 'id' | 'name' | 'facts'>;

/** Two backends of a kind; a change leads from the one to the other. */
export type BackendPorts = Record<Stored['kind'], readonly [number, number]>;

/** A client that writes until its gateway dies under it. */
export type Writer = {
  /** Writes on and on, from what the list says; rejects when a write is refused. */
  write(listed: readonly Stored[]): Promise<void>;
  stop(): void;
  /** How many writes were answered. */
  answered(): number;
};

export type WriterOptions = {
  client: Client;
  journal: Journal;
  /** Also the beginning of its services' names, and of its domain's. */
  name: string;
  backends: BackendPorts;
  /** The public ports that it may give to TCP services. */
  publicPorts: readonly number[];
  /** Numbers below 100 that say what it does next. */
  choices: readonly number[];
  /** Called after each answer. */
  onAnswer: () => void;
};

export function createWriter(options: WriterOptions): Writer {
  const { client, journal, name, backends, publicPorts, choices } = options;
  const domain = domainOf(name);
  const params = { nodeId: 1 };
  let own: Own[] = [];
  let made = 0;
  let step = 0;
  let answered = 0;
  let stopped = false;

  const createHttp = async (service: string): Promise<void> => {
    const pathLocation = made % 5 === 0 ? `/deep/er/${made}` : `/${made}`;
    const [backendPort] = backends.http;
    const facts: Facts = { address: `https://${domain}${pathLocation}`, backendPort, enabled: true };
    const body = { name: service, domain, pathLocation, backendHost: '127.0.0.1', backendPort };
    const { id } = await journal.write(service, facts, () => client.httpService.create({ params, body }));
    own.push({ kind: 'http', id, name: service, facts });
  };

  const createTcp = async (service: string, port: number): Promise<void> => {
    const [backendPort] = backends.tcp;
    const facts: Facts = { address: String(port), backendPort, enabled: true };
    const body = { name: service, port, backendHost: '127.0.0.1', backendPort };
    const { id } = await journal.write(service, facts, () => client.tcpService.create({ params, body }));
    own.push({ kind: 'tcp', id, name: service, facts });
  };

  const create = (): Promise<void> => {
    made += 1;
    const free = publicPorts.find((port) => own.every(({ facts }) => facts.address !== String(port)));
    return made % 3 === 0 && free !== undefined ? createTcp(`${name} ${made}`, free) : createHttp(`${name} ${made}`);
  };

  const change = async (one: Own, choice: number): Promise<void> => {
    const calls = one.kind === 'http' ? client.httpService : client.tcpService;
    const which = { params: { ...params, id: one.id } };
    const next = { ...one.facts };
    let send: () => Promise<unknown>;
    if (choice < 40) {
      const [first, second] = backends[one.kind];
      next.backendPort = next.backendPort === first ? second : first;
      send = () => calls.update({ ...which, body: { backendPort: next.backendPort } });
    } else if (choice < 55 && one.kind === 'http') {
      const pathLocation = `/moved${new URL(next.address).pathname}`;
      next.address = `https://${domain}${pathLocation}`;
      send = () => client.httpService.update({ ...which, body: { pathLocation } });
    } else {
      next.enabled = !next.enabled;
      send = () => calls[next.enabled ? 'enable' : 'disable'](which);
    }
    await journal.write(one.name, next, send);
    one.facts = next;
  };

  const remove = async ({ kind, id, name: service }: Own): Promise<void> => {
    const calls = kind === 'http' ? client.httpService : client.tcpService;
    await journal.write(service, null, () => calls.remove({ params: { ...params, id } }));
    own = own.filter((other) => other.name !== service);
  };

  const next = async (): Promise<void> => {
    const choice = choices[step % choices.length] ?? 0;
    step += 1;
    const one = own[choice % Math.max(own.length, 1)];
    if (one === undefined || own.length < SERVICES_MIN) await create();
    else if (own.length >= SERVICES_MAX || choice >= 85) await remove(one);
    else if (choice >= 70) await create();
    else await change(one, choice);
    answered += 1;
    options.onAnswer();
  };

  return {
    async write(listed) {
      stopped = false;
      own = listed.filter((stored) => stored.name.startsWith(`${name} `));
      try {
        while (!stopped) await next();
      } catch (error) {
        if (!isApiError(error, 'unreachable')) throw error;
      }
    },
    stop: () => void (stopped = true),
    answered: () => answered,
  };
}

/** What is compared of a service. `address` is where visitors reach it: a URL, or the number of a TCP port. */
export type Facts = { address: string; backendPort: number; enabled: boolean };

/** A service as the gateway lists it. */
export type Stored = { kind: 'http' | 'tcp'; id: number; name: string; problem: string | null; facts: Facts };

const textOf = (facts: Facts | null): string => (facts === null ? 'gone' : JSON.stringify(Object.values(facts)));

/** The services of both kinds, without the built-in one. */
export const storedOf = (http: readonly HttpService[], tcp: readonly TcpService[]): Stored[] => [
  ...http
    .filter(({ builtin }) => !builtin)
    .map(({ id, name, problem, domain, pathLocation, backendPort, enabled }): Stored => {
      const address = `https://${domain}${pathLocation ?? '/'}`;
      return { kind: 'http', id, name, problem, facts: { address, backendPort, enabled } };
    }),
  ...tcp.map(({ id, name, problem, port, backendPort, enabled }): Stored => {
    return { kind: 'tcp', id, name, problem, facts: { address: String(port), backendPort, enabled } };
  }),
];

/**
 * What writers were told, by the names of their services. An answer leaves one possible state; a write that was not
 * answered may have happened or not.
 */
export function createJournal() {
  const possible = new Map<string, (Facts | null)[]>();
  const addresses = new Set<string>();
  const touched = new Set<string>();
  return {
    /** Does a write and remembers what it leads to. */
    async write<T>(name: string, next: Facts | null, send: () => Promise<T>): Promise<T> {
      const before = possible.get(name) ?? [null];
      possible.set(name, [...before, next]);
      for (const facts of [...before, next]) {
        if (facts === null) continue;
        addresses.add(facts.address);
        touched.add(facts.address);
      }
      const answer = await send();
      possible.set(name, [next]);
      return answer;
    },
    /** What the database has of what was answered, one sentence for each thing that differs; takes on what it has. */
    differences(stored: readonly Stored[]): string[] {
      const rows = new Map(stored.map(({ name, facts }) => [name, facts]));
      const strange = [...rows.keys()].filter((name) => !possible.has(name)).map((name) => `${name} was never written`);
      const lost = [...possible].flatMap(([name, states]) => {
        const actual = rows.get(name) ?? null;
        possible.set(name, [actual]);
        const found = states.some((state) => textOf(state) === textOf(actual));
        return found ? [] : [`${name} is ${textOf(actual)}, should be ${states.map(textOf).join(' or ')}`];
      });
      return [...strange, ...lost];
    },
    /** The addresses that services had before or after a write, since this was asked the last time. */
    takeTouched(): string[] {
      const taken = [...touched];
      touched.clear();
      return taken;
    },
    /** All addresses that any service ever had. */
    addresses: (): string[] => [...addresses],
  };
}
export type Journal = ReturnType<typeof createJournal>;
