import { expect, it } from 'vitest';
import { createTestGateway } from '../testing.ts';
import { testApi } from '../testing/testApi.ts';
import { createKnownLogs } from './knownLogs.ts';

it('knows the services and domains that there are, and tells of each that is gone', async () => {
  const gateway = await createTestGateway();
  const { appId, wikiId, domainId, edgeId } = await gateway.seed();
  const known = await createKnownLogs(gateway.store);
  const gone: object[] = [];
  const stop = known.onGone((key) => gone.push(key));
  const has = (): boolean[] => [
    known.has({ kind: 'http', id: appId }),
    known.has({ kind: 'http', id: wikiId }),
    known.has({ kind: 'domain', id: domainId }),
    known.has({ kind: 'tcp', id: appId }),
  ];
  expect(has()).toEqual([true, true, true, false]);

  const api = testApi(gateway, await gateway.signIn());
  const { body } = await api(`POST /api/services/1/http`, {
    name: 'New',
    domain: 'app.example.test',
    pathLocation: '/new',
    backendHost: '127.0.0.1',
    backendPort: 8081,
  });
  expect(known.has({ kind: 'http', id: Number(body['id']) })).toBe(true);
  // The services of a node go with it.
  await api(`DELETE /api/nodes/${edgeId}`);
  expect(has()).toEqual([true, false, true, false]);
  await api(`DELETE /api/domains/${domainId}`);
  expect(gone).toContainEqual({ kind: 'http', id: wikiId });
  expect(gone).toContainEqual({ kind: 'domain', id: domainId });
  expect(known.has({ kind: 'domain', id: domainId })).toBe(false);
  stop();
  await gateway.stop();
});
