/** What is compared of an HTTP service. */
export type Facts = { domain: string; path: string; backendPort: number; enabled: boolean };

type Stored = { id: number; name: string; domain: string | null; pathLocation: string | null } & Omit<
  Facts,
  'domain' | 'path'
>;

const textOf = (facts: Facts | null): string => (facts === null ? 'gone' : JSON.stringify(Object.values(facts)));

/**
 * What writers were told, by the names of their services. An answer leaves one possible state; a write that was not
 * answered may have happened or not.
 */
export function createJournal() {
  const possible = new Map<string, (Facts | null)[]>();
  const addresses = new Map<string, { domain: string; path: string }>();
  return {
    /** Does a write and remembers what it leads to. */
    async write<T>(name: string, next: Facts | null, send: () => Promise<T>): Promise<T> {
      const before = possible.get(name) ?? [null];
      possible.set(name, [...before, next]);
      if (next !== null) addresses.set(`${next.domain}${next.path}`, next);
      const answer = await send();
      possible.set(name, [next]);
      return answer;
    },
    /** What the database has of what was answered, one sentence for each thing that differs; takes on what it has. */
    differences(stored: readonly Stored[]): string[] {
      const rows = new Map(
        stored.map(({ name, domain, pathLocation, backendPort, enabled }) => [
          name,
          { domain: domain ?? '', path: pathLocation ?? '/', backendPort, enabled },
        ]),
      );
      const strange = [...rows.keys()].filter((name) => !possible.has(name)).map((name) => `${name} was never written`);
      const lost = [...possible].flatMap(([name, states]) => {
        const actual = rows.get(name) ?? null;
        possible.set(name, [actual]);
        const found = states.some((state) => textOf(state) === textOf(actual));
        return found ? [] : [`${name} is ${textOf(actual)}, should be ${states.map(textOf).join(' or ')}`];
      });
      return [...strange, ...lost];
    },
    /** The addresses that services got since this was asked the last time, whether they still have them or not. */
    takeAddresses() {
      const taken = [...addresses.values()];
      addresses.clear();
      return taken;
    },
  };
}
export type Journal = ReturnType<typeof createJournal>;
