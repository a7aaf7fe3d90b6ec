import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A real OpenID provider on loopback. Anyone who gives a name signs in; NAME@unverified.test has no verified e-mail. */
export type IdentityProvider = {
  settings: { issuer: string; clientId: string; clientSecret: string };
  stop(): Promise<void>;
};

/** What the provider knows the gateway by. */
export const CLIENT = { clientId: 'sallyport', clientSecret: 'the secret of the test' };

/** @param port of loopback, where someone expects it; by default any that is free */
export async function startIdentityProvider(redirectUris: string[], port = 0): Promise<IdentityProvider> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { issuer, ...CLIENT };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [{ client_id: settings.clientId, client_secret: settings.clientSecret, redirect_uris: redirectUris }],
    claims: { email: ['email', 'email_verified'] },
    cookies: { keys: ['a key of the test'] },
    jwks: { keys: [privateKey.export({ format: 'jwk' })] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: !id.endsWith('@unverified.test') }),
    }),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    // Its own pages would have a browser fetch a font from far away.
    response.setHeader('content-security-policy', "style-src 'unsafe-inline'; font-src 'none'");
    void answer(request, response);
  });
  return {
    settings,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
