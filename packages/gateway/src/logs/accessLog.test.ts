import { expect, it } from 'vitest';
import { createTestGateway } from '../testing.ts';
import { testApi } from '../testing/testApi.ts';
import { createKnownLogs } from './accessLog.ts';

it('knows the services and domains that there are, and tells of each that is new or gone', async () => {
  const gateway = await createTestGateway();
  const { appId, wikiId, domainId, edgeId } = await gateway.seed();
  const known = await createKnownLogs(gateway.store);
  const news: string[] = [];
  const stop = known.onChange(({ kind, id }, isKnown) => news.push(`${isKnown ? '+' : '-'}${kind}/${id}`));
  const all = (): string[] => known.all().map(({ kind, id }) => `${kind}/${id}`);
  expect(all()).toEqual(expect.arrayContaining([`http/${appId}`, `http/${wikiId}`, `domain/${domainId}`]));
  expect(all()).not.toContain(`tcp/${appId}`);

  const api = testApi(gateway, await gateway.signIn());
  const { body } = await api(`POST /api/services/1/http`, {
    name: 'New',
    domain: 'app.example.test',
    pathLocation: '/new',
    backendHost: '127.0.0.1',
    backendPort: 8081,
  });
  expect(news).toContain(`+http/${Number(body['id'])}`);
  // The services of a node go with it.
  await api(`DELETE /api/nodes/${edgeId}`);
  expect(all()).not.toContain(`http/${wikiId}`);
  await api(`DELETE /api/domains/${domainId}`);
  expect(news).toEqual(expect.arrayContaining([`-http/${wikiId}`, `-domain/${domainId}`]));
  expect(all()).not.toContain(`domain/${domainId}`);
  stop();
  await gateway.stop();
});
