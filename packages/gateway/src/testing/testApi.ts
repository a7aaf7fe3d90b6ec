import { afterEach, beforeEach, expect, vi } from 'vitest';
import { createTestGateway, type TestGateway, type TestGatewayOptions } from '../testing.ts';

/** A reply, its body read. Tests know what they asked for, so the body has no type. */
export type TestReply = {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
};

/** Makes one call after the other, signed in. */
export type TestApi = (
  call: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`,
  body?: object,
  headers?: Record<string, string>,
) => Promise<TestReply>;

type Caller = { fetch(path: string, init?: RequestInit): Promise<Response> };

/** @param token null: as a stranger */
export const testApi =
  (gateway: Caller, token: string | null): TestApi =>
  async (call, body, headers = {}) => {
    const [method = '', path = ''] = call.split(' ');
    const response = await gateway.fetch(path, {
      method,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  };

/** A test gateway with its seed, and its administrator's calls. */
export type SeededGateway = {
  gateway: TestGateway;
  admin: TestApi;
  ids: Awaited<ReturnType<TestGateway['seed']>>;
};

export async function seededGateway(options?: TestGatewayOptions): Promise<SeededGateway> {
  const gateway = await createTestGateway(options);
  const ids = await gateway.seed();
  return { gateway, ids, admin: testApi(gateway, await gateway.signIn()) };
}

/** Makes one for each test of a file, and ends it; what it would have logged as an error fails the test. */
export function seedEachTest(use: (seeded: SeededGateway) => void): void {
  let stop: () => Promise<void>;
  beforeEach(async () => {
    const seeded = await seededGateway();
    const { gateway } = seeded;
    stop = async () => {
      await gateway.stop();
      expect(gateway.errors).toEqual([]);
    };
    use(seeded);
  });
  afterEach(() => stop());
}

/** As a node, by an access token that the administrator has just made for it. */
export async function asNode(
  gateway: Caller,
  admin: TestApi,
  node: number,
  expireAt: string | null = null,
): Promise<TestApi> {
  const { body } = await admin(`POST /api/nodes/${node}/pats`, { name: 'ci', expireAt });
  return testApi(gateway, String(body['token']));
}

/** A test gateway with its seed, and the calls of the nodes `edge` and `site` by a token of theirs. */
export type SeededNodes = SeededGateway & { edge: TestApi; site: TestApi };

/** Like `seedEachTest`, with two nodes that call. */
export function seedNodesEachTest(use: (seeded: SeededNodes) => void): void {
  let seeded: SeededGateway;
  seedEachTest((made) => (seeded = made));
  beforeEach(async () => {
    const { gateway, admin, ids } = seeded;
    use({ ...seeded, edge: await asNode(gateway, admin, ids.edgeId), site: await asNode(gateway, admin, ids.siteId) });
  });
}

/** What is wrong with which field of the body. */
export const problemsIn = ({ body }: TestReply): Record<string, string> =>
  Object.fromEntries(
    ((body['errors'] as { body?: { field: string; message: string }[] } | undefined)?.body ?? []).map(
      ({ field, message }) => [field, message],
    ),
  );

/** Holds the next generation while nginx loads it: fulfilled once it does, and until then what follows gathers. */
export function holdNextGeneration({ system: { ingress } }: Pick<TestGateway, 'system'>): {
  begun: Promise<void>;
  loaded(): void;
} {
  const [begun, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { apply } = ingress;
  vi.spyOn(ingress, 'apply').mockImplementationOnce(async (files) => {
    begun.resolve();
    await loaded.promise;
    return apply(files);
  });
  return { begun: begun.promise, loaded: loaded.resolve };
}
