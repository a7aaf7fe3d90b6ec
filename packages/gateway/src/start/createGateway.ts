import packageJson from '../../package.json' with { type: 'json' };
import { startExpiry } from '../expiry/services.ts';
import { startKeyExpiry } from '../expiry/idempotencyKeys.ts';
import type { Settings } from '../api/settings.ts';
import { createLoginAttempts } from '../api/session/loginAttempts.ts';
import type { Passwords } from '../api/session/password.ts';
import { createPublicPorts } from '../api/service/publicPort.ts';
import { createHttp, type HttpOptions } from '../api/http/createHttp.ts';
import type { Connection } from '../api/http/requestFacts.ts';
import type { Clock, World } from '../world.ts';
import type { Store } from '../store/store.ts';
import type { Provider } from '../signin/provider.ts';
import { createSignIn } from '../signin/signIn.ts';
import { ASKING_DOMAIN } from '../ingress/render/headers.ts';
import { page } from '../ingress/render/pages.ts';
import { publicUrl } from '../api/service/publicUrl.ts';
import { createWriter, type Publish } from '../api/writer.ts';

/** What a gateway is put together from. */
export type GatewayParts = {
  store: Store;
  clock: Clock;
  world: World;
  publish: Publish;
  settings: Settings;
  passwords: Passwords;
  /** Where visitors sign in; null or none: nobody can. */
  provider?: Provider | null;
  /** The built console; null: none. */
  consoleDirectory: string | null;
  /** Called after each successful sign-in. */
  signedIn?: () => void;
  /** Notes an error that no reply may carry. */
  failed(error: unknown, facts?: object): void;
  /** Notes a request that was refused. */
  refused?: HttpOptions['refused'];
  streams?: HttpOptions['streams'];
};

/** A running gateway, without any transport. */
export type Gateway = {
  fetch(request: Request, connection?: Connection): Promise<Response>;
  /** How many event streams are being read. */
  watchers(): number;
  /** Ends streams and alarms. The store and the world stay open: whoever opened them closes them. */
  stop(): void;
};

/** A caller within this process. */
const IN_PROCESS: Connection = { address: '127.0.0.1', trusted: false };

/** Puts a gateway together. Services whose time ended while nothing ran are closed when it is fulfilled. */
export async function createGateway(parts: GatewayParts): Promise<Gateway> {
  const { store, clock, world, settings, passwords, failed } = parts;
  const write = createWriter(store, parts.publish, world);
  const expiry = startExpiry({ store, write, serve: () => parts.publish([]), clock, failed });
  await expiry.ready;
  const http = createHttp({
    parts: {
      store,
      write,
      world,
      settings,
      version: packageJson.version,
      passwords,
      loginAttempts: createLoginAttempts(clock.now),
      publicPorts: createPublicPorts(),
      signedIn: parts.signedIn ?? (() => undefined),
      failed,
    },
    clock,
    onSessionEnd: store.onSessionEnd,
    consoleDirectory: parts.consoleDirectory,
    refused: parts.refused ?? (() => undefined),
    ...(parts.streams !== undefined && { streams: parts.streams }),
  });
  const stopKeyExpiry = startKeyExpiry({ store, clock, failed });
  const signIn = createSignIn({
    store,
    provider: parts.provider ?? null,
    now: clock.now,
    originOf: (domain) => publicUrl({ domain, pathLocation: '', builtin: false }, settings),
    page,
    failed: (error) => failed(error, { part: 'sign-in' }),
  });
  return {
    fetch(request, connection = IN_PROCESS) {
      // nginx alone can say so: it takes the header away from whatever else it passes on.
      const domainId = connection.trusted ? request.headers.get(ASKING_DOMAIN) : null;
      return domainId === null ? http.fetch(request, connection) : signIn.fetch(request, Number(domainId));
    },
    watchers: http.watchers,
    stop() {
      expiry.stop();
      stopKeyExpiry();
      http.stop();
    },
  };
}
