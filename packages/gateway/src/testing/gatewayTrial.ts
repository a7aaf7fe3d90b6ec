import type { Gateway } from '../start/compose.ts';
import type { Connection } from '../api/http/request.ts';
import { createPasswords } from '../api/session/password.ts';
import { leadsHere } from './fakeSystem.ts';
import { openReconcileTrial, type ReconcileTrial, type ReconcileTrialOptions } from './reconcileTrial.ts';
import { type TestApi, testApi } from './testApi.ts';
import type { Provider } from '../signin/provider.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' } as const;
const PASSWORD_COST_LOG2 = 4;

/** The whole gateway on a real nginx and a real database: calls are made in this process, visits over the wire. */
export type GatewayTrial = ReconcileTrial & {
  /** Calls the gateway, signed in. */
  api: TestApi;
  /** Ends the gateway, not nginx. */
  stopGateway(): Promise<void>;
  /** Answers as the running gateway does. */
  fetch(request: Request, connection: Connection): Promise<Response>;
  /** Starts it again on the same files. */
  startGateway(): Promise<void>;
};

export type GatewayTrialOptions = ReconcileTrialOptions & {
  provider?: Provider | null;
  /** Hears of what an administrator should know; by default it is a fault of the trial. */
  failed?(error: unknown): void;
};

export async function openGatewayTrial({
  provider = null,
  failed = (error) => {
    throw error;
  },
  ...options
}: GatewayTrialOptions = {}): Promise<GatewayTrial> {
  const inner = await openReconcileTrial(options);
  const passwords = createPasswords(PASSWORD_COST_LOG2);
  const passwordHash = await passwords.hash(ADMIN.password);
  await inner.store.write((tx) => tx.admin.set({ username: ADMIN.username, passwordHash }));
  let gateway: Gateway | null = null;
  let token: string | null = null;
  const running = (): Gateway => {
    if (gateway === null) throw new Error('the gateway does not run');
    return gateway;
  };
  const fetch = (path: string, init?: RequestInit): Promise<Response> => {
    return running().fetch(new Request(new URL(path, 'http://gateway.test'), init));
  };
  const open = async (): Promise<void> => {
    const world = { ...inner.composed.world, dns: leadsHere };
    gateway = await inner.composed.open({ world, passwords, provider, consoleDirectory: null, failed });
    token ??= String((await testApi({ fetch }, null)('POST /api/auth/login', ADMIN)).body['token']);
  };
  await open();
  const stopGateway = async (): Promise<void> => {
    gateway = null;
    await inner.composed.stop();
  };
  const api: TestApi = (...call) => testApi({ fetch }, token)(...call);
  return Object.assign(inner, {
    api,
    fetch: (request: Request, connection: Connection) => running().fetch(request, connection),
    stopGateway,
    async startGateway() {
      const { problem: reason } = await inner.restart();
      if (reason !== null) throw new Error(reason);
      await open();
    },
  });
}
