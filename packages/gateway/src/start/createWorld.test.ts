import { expect, it } from 'vitest';
import { createFakeSystem, leadsHere } from '../testing/fakeSystem.ts';
import { testTunnelServer } from '../testing/fakeTunnel.ts';
import { createTestClock } from '../testing/testClock.ts';
import { nodeWorld } from '../api/node/tokenLimits.ts';
import { NO_STREAM } from '../ingress/state.ts';
import { createWorld } from './createWorld.ts';
import { signInAvailability } from '../signin/provider.ts';
import { SILENT } from '../tunnel/monitor.ts';
import { createAbsentTunnel, type TunnelStatus } from '../tunnel/wireguard/tunnel.ts';
import type { SignInState } from '../signin/provider.ts';

type Chosen = { tunnel?: TunnelStatus; signIn?: SignInState };

const worldWith = (hasStream: boolean, problem: string | null = null, { tunnel, signIn }: Chosen = {}) =>
  createWorld({
    system: { ...createFakeSystem(), ingress: { layout: { hasStream } } },
    reconciler: {
      problem: () => problem,
      certificate: () => ({ pending: null, certificateEndsAt: null }),
      onFindings: () => () => undefined,
      state: () => ({ up: true, generation: 1, problem: null }),
      endsConnections: () => true,
      leftBehind: () => [],
    },
    health: {
      get: () => ({ health: 'unknown', healthReason: null }),
      probed: () => Promise.resolve(),
      asked: () => Promise.resolve({ health: 'unknown', healthReason: null }),
      onChange: () => () => undefined,
    },
    issued: { tried: () => Promise.resolve() },
    dns: leadsHere,
    tunnel: { forwardingProblem: () => null, status: () => tunnel ?? { available: true } },
    nodes: { mustRejoin: () => false, runtime: () => SILENT, onRuntime: () => () => undefined },
    clock: createTestClock(new Date(0)),
    vpn: testTunnelServer,
    signIn: () => signIn ?? { available: true },
    test: () => Promise.resolve({ works: true, text: '' }),
    liveSettings: {} as never,
    ownNames: ['gateway.example.test'],
    wiredoorTokenId: async () => null,
    unavailable: [],
  });

const offWith = (hasStream: boolean): string[] =>
  worldWith(hasStream)
    .unavailable()
    .map(({ feature, fix }) => `${feature}: ${fix}`);

it('says that TCP and UDP are off without the module of nginx, and what to install', () => {
  expect(offWith(false)).toContainEqual(expect.stringMatching(/^tcpServices: .*libnginx-mod-stream/));
  expect(offWith(true).join()).not.toContain('tcpServices');
});

it('names each part that is off once', () => {
  const parts = offWith(false).map((line) => line.split(':')[0]);
  expect(new Set(parts).size).toBe(parts.length);
});

it('tells the token of a node that its port is not served, and nothing of the nginx of this machine', () => {
  const { problem } = nodeWorld(worldWith(false, `${NO_STREAM.reason} ${NO_STREAM.fix}`));
  expect(problem('tcpService', 1)).toBe('The gateway does not serve it at the moment. Ask the administrator.');
});

it('tells what is off by choice from what should run', () => {
  const chosenOf = (parts: Chosen) =>
    worldWith(true, null, parts)
      .unavailable()
      .filter(({ chosen }) => chosen === true)
      .map(({ feature }) => feature);
  const none = { issuer: null, clientId: null, clientSecret: null };
  expect(chosenOf({ tunnel: createAbsentTunnel().status(), signIn: signInAvailability(none) })).toEqual([
    'tunnel',
    'visitorSignIn',
  ]);
  const broken = { available: false, reason: 'It broke.', fix: 'Wait.' } as const;
  expect(chosenOf({ tunnel: broken, signIn: signInAvailability({ ...none, clientId: 'half' }) })).toEqual([]);
});
