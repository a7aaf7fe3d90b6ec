import { beforeEach, describe, expect, it } from 'vitest';
import { signedIn } from '../testing/signedIn.ts';

let at: Awaited<ReturnType<typeof signedIn>>;
/** What another administrator does between the reading of a thing and the call that changes it. */
let meanwhile: (() => Promise<unknown>) | null;
let tcpId: number;
let tokenId: number;

beforeEach(async () => {
  meanwhile = null;
  at = await signedIn(async (request) => {
    if (/PATCH|DELETE/.test(request.method)) await meanwhile?.();
    return null;
  });
  expect((await at.run('service create tcp Broker --node edge --backend-port 1883')).code).toBe(0);
  expect((await at.run('token create ci --node edge')).code).toBe(0);
  const { store } = at.gateway;
  tcpId = (await store.tcpServices.all({ name: 'Broker' }))[0]?.id ?? 0;
  tokenId = (await store.tokens.all({ name: 'ci' }))[0]?.id ?? 0;
});

const changes = {
  node: () => at.gateway.store.write((tx) => tx.nodes.update(at.ids.edgeId, { keepalive: 25 })),
  domain: () => at.gateway.store.write((tx) => tx.domains.update(at.ids.domainId, { skipValidation: true })),
  http: () => at.gateway.store.write((tx) => tx.httpServices.update(at.ids.appId, { backendPort: 9000 })),
  tcp: () => at.gateway.store.write((tx) => tx.tcpServices.update(tcpId, { backendPort: 9000 })),
  token: () => at.gateway.store.write((tx) => tx.tokens.update(tokenId, { expireAt: '2027-01-01T00:00:00.000Z' })),
};

describe('a command whose thing someone else changes meanwhile', () => {
  it.each([
    ['node edit edge --name Mine', 'node'],
    ['node enable edge', 'node'],
    ['node delete edge --yes', 'node'],
    ['domain edit app.example.test --skip-validation', 'domain'],
    ['domain delete app.example.test --yes', 'domain'],
    ['service edit App --backend-host 192.0.2.9', 'http'],
    ['service enable App', 'http'],
    ['service delete App --yes', 'http'],
    ['service edit Broker --name Mine', 'tcp'],
    ['service enable Broker', 'tcp'],
    ['service delete Broker --yes', 'tcp'],
    ['token delete ci --node edge --yes', 'token'],
  ] as const)('`%s` does nothing, and says so: 1', async (line, thing) => {
    meanwhile = changes[thing];
    expect(await at.run(line)).toEqual({
      code: 1,
      out: '',
      err: 'sallyport: It was changed by someone else in the meantime, so nothing was done. Look at it again, and repeat the command if you still mean it.\n',
    });
    meanwhile = null;
    expect((await at.run(line)).code).toBe(0);
  });

  // To close something is meant, whatever it has become.
  it.each([
    ['node disable edge', 'node'],
    ['service disable App', 'http'],
    ['service disable Broker', 'tcp'],
    ['token revoke ci --node edge --yes', 'token'],
  ] as const)('`%s` closes it all the same', async (line, thing) => {
    meanwhile = changes[thing];
    expect((await at.run(line)).code).toBe(0);
  });
});
