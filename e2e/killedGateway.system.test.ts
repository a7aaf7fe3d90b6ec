import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '@sallyport/sdk';
import { curl } from './support/curl.ts';
import { startGateway, type GatewayProcess } from './support/gatewayProcess.ts';
import { startWebServer, type WebServer } from './support/webServer.ts';

let gateway: GatewayProcess;
let web: WebServer;

beforeAll(async () => {
  gateway = await startGateway();
  web = await startWebServer((request, response) => response.end(`page ${request.url}`));
});

afterAll(async () => {
  await web?.close();
  await gateway?.close();
});

async function signedIn() {
  const { token } = await createClient({ baseUrl: gateway.apiUrl, token: null }).session.login({
    body: { username: gateway.username, password: gateway.password },
  });
  return createClient({ baseUrl: gateway.apiUrl, token });
}

/**
 * Asks for the page again and again until told to stop; every answer that is not the page counts as lost.
 * Over HTTP/1.1: at a reload nginx 1.22 says GOAWAY to an HTTP/2 connection whose handshake is behind it and whose
 * first request is still on its way. A browser repeats such a request (RFC 9113, 6.8), curl calls it an error.
 */
function keepAsking(url: string) {
  let asking = true;
  let asked = 0;
  const lost: string[] = [];
  const done = (async () => {
    while (asking && asked < 2000) {
      asked += 1;
      const answer = await curl(url, ['--http1.1']).catch((error: Error) => ({ status: 0, body: error.message }));
      if (answer.status !== 200) lost.push(`${answer.status} ${answer.body.slice(0, 80)}`);
    }
  })();
  return async () => {
    asking = false;
    await done;
    return { asked, lost };
  };
}

test('a write that was answered survives SIGKILL, and nginx serves all along', async () => {
  let client = await signedIn();
  const expose = (name: string) =>
    client.httpService.create({
      params: { nodeId: 1 },
      body: { name, domain: `${name}.example.test`, backendHost: '127.0.0.1', backendPort: web.port },
    });
  const first = await expose('first');
  const stop = keepAsking(`${first.publicAccess}steady`);

  for (const name of ['second', 'third', 'fourth']) {
    const saved = await expose(name);
    await gateway.kill();
    // The gateway is dead; what it answered for is served by nginx alone.
    expect(await curl(`${saved.publicAccess}while-dead`)).toEqual({ status: 200, body: 'page /while-dead' });
    await gateway.start();
    expect(await curl(`${saved.publicAccess}after`)).toEqual({ status: 200, body: 'page /after' });
    client = await signedIn();
    expect((await client.httpService.get({ params: { nodeId: 1, id: saved.id } })).name).toBe(name);
  }

  const { asked, lost } = await stop();
  expect(asked).toBeGreaterThan(0);
  expect(lost).toEqual([]);
});
