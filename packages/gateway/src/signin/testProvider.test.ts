import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startIdentityProvider } from '../testing/identityProvider.ts';
import { testProvider } from './testProvider.ts';

/** A provider on loopback; fulfilled with its address. */
async function provider(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const testOf = (issuer: string) => testProvider({ issuer, clientId: 'id', clientSecret: {} });
const described = (base: string, more: object = {}) => ({
  issuer: `${base}/realm`,
  authorization_endpoint: `${base}/authorize`,
  token_endpoint: `${base}/token`,
  jwks_uri: `${base}/keys`,
  ...more,
});

it('finds a provider that describes itself below its issuer', async () => {
  const paths: string[] = [];
  const base = await provider((request, response) => {
    paths.push(request.url ?? '');
    response.end(JSON.stringify(described(base)));
  });
  expect(await testOf(`${base}/realm`)).toMatchObject({ works: true });
  expect(await testOf(`${base}/other`)).toEqual({
    works: false,
    text: `The provider calls itself ${base}/realm, and the issuer that is set is ${base}/other. Both must be the same.`,
  });
  expect(paths).toEqual(['/realm/.well-known/openid-configuration', '/other/.well-known/openid-configuration']);
});

it.each<[string, RequestListener, RegExp]>([
  ['nothing is there', (_, response) => response.writeHead(404).end(), /answers 404\. The issuer is what/],
  ['it is a web page', (_, response) => response.end('<html>'), /something else than a discovery document/],
  [
    'it leads elsewhere',
    (_, response) => response.writeHead(302, { location: 'https://id.example.test/' }).end(),
    /leads on to https:\/\/id\.example\.test\//,
  ],
  ['it never ends', (_, response) => void response.write('x'.repeat(300_000)), /answered more than 256 KB/],
  ['it is cut off', (request) => void request.socket.destroy(), /could not be asked/],
])('says what is wrong where %s', async (_, answer, words) => {
  const base = await provider(answer);
  const { works, text } = await testOf(base);
  expect([works, text]).toEqual([false, expect.stringMatching(words)]);
});

it('names what the description does not have', async () => {
  const base = await provider((_, response) => {
    response.end(
      JSON.stringify(described(base, { issuer: base, token_endpoint: 'javascript:1', jwks_uri: undefined })),
    );
  });
  expect(await testOf(base)).toEqual({
    works: false,
    text: 'The discovery document of the provider has no usable token_endpoint, jwks_uri.',
  });
});

it('asks no one where there is nothing to ask', async () => {
  const { works, text } = await testProvider({ issuer: null, clientId: null, clientSecret: null });
  expect([works, text]).toEqual([false, expect.stringMatching(/^No identity provider is set up\./)]);
  expect(await testOf('http://id.example.test')).toMatchObject({
    works: false,
    text: expect.stringContaining('https'),
  });
});

it('takes a provider as it is', async () => {
  const real = await startIdentityProvider(['https://app.example.test/.sallyport/callback']);
  onTestFinished(real.stop);
  expect(await testOf(real.settings.issuer)).toMatchObject({ works: true });
  expect(await testOf(`${real.settings.issuer}/realm`)).toMatchObject({ works: false });
});

it('says that nothing listens', async () => {
  expect((await testOf('http://127.0.0.1:1')).text).toBe('Nothing listens at 127.0.0.1:1.');
});
