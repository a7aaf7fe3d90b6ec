import { afterAll, beforeAll, expect, test } from 'vitest';
import { curl } from '../support/visit.ts';
import { type GatewayProcess, signedIn, startGateway } from '../support/gateway.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

/** What a visitor waits at most: 5 s on a machine that does nothing else, and a minute where nginx is not told. */
const LIMIT_MS = 20_000;
const DOMAIN = 'guarded.example.test';

let gateway: GatewayProcess;
let web: WebServer;

beforeAll(async () => {
  gateway = await startGateway({
    env: {
      // No one is there: it takes a gateway that does not hang to find that out.
      SALLYPORT_OIDC_ISSUER: 'http://127.0.0.1:1',
      SALLYPORT_OIDC_CLIENT_ID: 'sallyport',
      SALLYPORT_OIDC_CLIENT_SECRET: 'none',
    },
  });
  web = await startWebServer((_request, response) => response.end('the secret page'));
  const { client } = await signedIn(gateway);
  await client.domain.create({ body: { domain: DOMAIN, skipValidation: true, authentication: true } });
  const backend = { domain: DOMAIN, backendHost: '127.0.0.1', backendPort: web.port };
  await client.httpService.create({
    params: { nodeId: 1 },
    body: { ...backend, name: 'Guarded', requireAuth: true, skipAuthRoutes: '/plain\n^/pattern' },
  });
  await client.httpService.create({ params: { nodeId: 1 }, body: { ...backend, name: 'Open', pathLocation: '/open' } });
});

afterAll(async () => {
  gateway?.child().kill('SIGCONT');
  await web?.close();
  await gateway?.close();
});

const visit = async (path: string) => {
  const began = performance.now();
  const answer = await curl(`https://${DOMAIN}:${gateway.ports.https}${path}`);
  return { ...answer, ms: performance.now() - began };
};

test('visitors of a gateway that hangs are told so in time, and what needs no question is served', async () => {
  gateway.child().kill('SIGSTOP');
  const paths = [
    '/',
    '/pattern',
    '/.sallyport/sign-in?to=/',
    '/.sallyport/callback?code=x&state=y',
    '/.sallyport/sign-out',
  ];
  for (const { status, body, ms } of await Promise.all(paths.map(visit))) {
    expect(status).toBe(503);
    expect(body).toMatch(/not available at the moment\. Try again /);
    expect(body).not.toMatch(/nginx|secret page/);
    expect(ms).toBeLessThan(LIMIT_MS);
  }
  for (const path of ['/plain', '/open']) {
    expect(await visit(path)).toMatchObject({ status: 200, body: 'the secret page' });
  }
  gateway.child().kill('SIGCONT');
  // It goes on where it was: the provider is not there.
  const { status, body } = await visit('/.sallyport/sign-in?to=/');
  expect({ status, body }).toEqual({
    status: 503,
    body: expect.stringContaining('The identity provider does not answer'),
  });
});
