import { chmodSync } from 'node:fs';
import { systemClock } from '../start/system.ts';
import { createOpenIdProvider } from '../signin/openIdProvider.ts';
import { type Listeners, openListeners } from '../start/listeners.ts';
import { Secret } from '../vault/secret.ts';
import { freePorts } from './freePorts.ts';
import { type GatewayTrial, type GatewayTrialOptions, openGatewayTrial } from './gatewayTrial.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from './identityProvider.ts';
import { PORTS, startBackend } from './reconcileTrial.ts';
import type { Page, ScriptedBrowser } from './scriptedBrowser.ts';
import { acceptUpgrade } from './wire.ts';

/** The cookie of a visitor who signed in. */
export const SESSION = '__Host-sallyport_visitor';

/** The public address of a domain of the trial. */
export const originOf = (domain: string, port = PORTS.https): string => `https://${domain}:${port}`;

/** A whole gateway that nginx asks about visitors, an identity provider and a backend, all on loopback. */
export type SignInTrial = {
  trial: GatewayTrial;
  /** What an administrator was told. */
  failures: readonly unknown[];
  /** Where the provider is, or will be. */
  issuer: string;
  /** Starts the provider, unless it runs. */
  provide(): Promise<void>;
  /** Ends the provider; it can be started again. */
  withdraw(): Promise<void>;
  /** Makes a domain with authentication; returns its id. */
  addDomain(domain: string): Promise<number>;
  /** Exposes the backend; returns the service's id. */
  expose(domain: string, rest: object): Promise<number>;
  /** Plays the visitor at the provider, from a page that asks who it is. */
  signInAs(browser: ScriptedBrowser, email: string, url: string): Promise<Page>;
  /** Lets nginx reach the gateway, and not any more. */
  openSocket(): Promise<void>;
  closeSocket(): Promise<void>;
  close(): Promise<void>;
};

/** @param domains whose redirect URIs the provider knows */
export async function openSignInTrial(
  domains: readonly string[],
  options: GatewayTrialOptions = {},
): Promise<SignInTrial> {
  const [port = 0] = await freePorts(1);
  const issuer = `http://127.0.0.1:${port}`;
  let identities: Promise<IdentityProvider> | null = null;
  let listeners: Listeners | null = null;
  const backend = await startBackend((request, response) => {
    if (request.url === '/fails') response.statusCode = 500;
    response.end(JSON.stringify({ url: request.url, headers: request.headers }));
  });
  backend.server.on('upgrade', (request, socket) => {
    acceptUpgrade(socket);
    if (request.url?.startsWith('/echo') === true) socket.pipe(socket);
    else socket.end();
  });
  const { clientId, clientSecret } = CLIENT;
  // One that is set by the API is another matter.
  const provider =
    options.openProvider === undefined
      ? createOpenIdProvider({ issuer, clientId, clientSecret: new Secret(clientSecret) }, systemClock.now)
      : null;
  const failures: unknown[] = [];
  const trial = await openGatewayTrial({ ...options, provider, failed: (error) => void failures.push(error) });
  const post = async (path: `/api/${string}`, body: object): Promise<number> => {
    const reply = await trial.api(`POST ${path}`, body);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return Number(reply.body['id']);
  };
  const openSocket = async (): Promise<void> => {
    listeners = await openListeners({
      gateway: Promise.resolve({
        fetch: (request, connection) => trial.fetch(request, connection ?? { address: '', trusted: false }),
      }),
      listen: { host: '127.0.0.1', port: 0 },
      socket: trial.ingress.layout.gatewaySocket,
      workerUser: null,
    });
    chmodSync(trial.ingress.layout.gatewaySocket, 0o666);
  };
  const closeSocket = async (): Promise<void> => listeners?.close();
  await openSocket();
  return {
    trial,
    failures,
    issuer,
    async provide() {
      const redirectUris = domains.map((domain) => `${originOf(domain, options.publicHttpsPort)}/.sallyport/callback`);
      identities ??= startIdentityProvider(redirectUris, port);
      await identities;
    },
    async withdraw() {
      await (await identities)?.stop();
      identities = null;
    },
    addDomain: (domain) => post('/api/domains', { domain, skipValidation: true, authentication: true }),
    expose: (domain, rest) =>
      post('/api/services/1/http', {
        name: 'App',
        domain,
        backendHost: '127.0.0.1',
        backendPort: backend.port,
        ...rest,
      }),
    async signInAs(browser, email, url) {
      const login = await browser.open(url);
      if (!login.url.startsWith(`${issuer}/interaction/`)) throw new Error(`not asked who it is, but at ${login.url}`);
      const consent = await browser.submit(login, { login: email, password: 'any' });
      return browser.submit(consent, {});
    },
    openSocket,
    closeSocket,
    async close() {
      await closeSocket();
      await trial.stopGateway();
      await trial.close();
      await backend.stop();
      await (await identities)?.stop();
    },
  };
}
