import type { HttpService } from '@sallyport/sdk';
import { isApiError } from '@sallyport/sdk';
import type { Facts, Journal } from './journal.ts';
import { domainOf, type Scene } from './scene.ts';

const SERVICES_MIN = 2;
const SERVICES_MAX = 6;

type Own = { id: number; name: string; facts: Facts };

/** A client that writes until its gateway dies under it. */
export type Writer = {
  /** Writes on and on, from what the list says; rejects when a write is refused. */
  write(listed: readonly HttpService[]): Promise<void>;
  stop(): void;
  /** How many writes were answered. */
  answered(): number;
};

/** @param choices numbers below 100 that say what it does next */
export function createWriter(scene: Scene, journal: Journal, name: string, choices: readonly number[]): Writer {
  const { client, backends } = scene;
  const domain = domainOf(name);
  let own: Own[] = [];
  let made = 0;
  let step = 0;
  let answered = 0;
  let stopped = false;

  const create = async (): Promise<void> => {
    made += 1;
    const path = made % 5 === 0 ? '/deep/er' : '/';
    const facts: Facts = {
      domain,
      path: `${path === '/' ? '' : path}/${made}`,
      backendPort: backends.a.port,
      enabled: true,
    };
    const service = `${name} ${made}`;
    const { id } = await journal.write(service, facts, () =>
      client.httpService.create({
        params: { nodeId: 1 },
        body: {
          name: service,
          domain,
          pathLocation: facts.path,
          backendHost: '127.0.0.1',
          backendPort: facts.backendPort,
        },
      }),
    );
    own.push({ id, name: service, facts });
  };

  const change = async (one: Own, choice: number): Promise<void> => {
    const params = { nodeId: 1, id: one.id };
    const next = { ...one.facts };
    let send: () => Promise<unknown>;
    if (choice < 40) {
      next.backendPort = next.backendPort === backends.a.port ? backends.b.port : backends.a.port;
      send = () => client.httpService.update({ params, body: { backendPort: next.backendPort } });
    } else if (choice < 60) {
      next.path = `/moved${next.path}`;
      send = () => client.httpService.update({ params, body: { pathLocation: next.path } });
    } else {
      next.enabled = !next.enabled;
      const verb = next.enabled ? 'enable' : 'disable';
      send = () => client.httpService[verb]({ params });
    }
    await journal.write(one.name, next, send);
    one.facts = next;
  };

  const remove = async (one: Own): Promise<void> => {
    await journal.write(one.name, null, () => client.httpService.remove({ params: { nodeId: 1, id: one.id } }));
    own = own.filter((other) => other !== one);
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
  };

  return {
    async write(listed) {
      stopped = false;
      own = listed
        .filter((service) => service.domain === domain)
        .map(({ id, name: service, pathLocation, backendPort, enabled }) => ({
          id,
          name: service,
          facts: { domain, path: pathLocation ?? '/', backendPort, enabled },
        }));
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
