import type { HttpService, TcpService } from '@sallyport/sdk';

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
