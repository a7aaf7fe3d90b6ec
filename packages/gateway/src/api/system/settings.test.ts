import { settingName } from '@sallyport/sdk/contract';
import { expect, it } from 'vitest';
import { settingVariables } from '../../config.ts';
import { seedNodesEachTest, type SeededNodes, testApi } from '../../testing/testApi.ts';

let { gateway, admin, edge }: SeededNodes = {} as never;
seedNodesEachTest((seeded) => ({ gateway, admin, edge } = seeded));

const read = async () =>
  (await admin('GET /api/settings')).body as Record<'settings' | 'features', Record<string, unknown>[]>;
const settingOf = async (name: string) => (await read()).settings.find((one) => one['name'] === name);

/** What is not shown: secrets, the files that hold them, the vault's key, and what is meant for a single start. */
const HIDDEN = [
  'SALLYPORT_ADMIN_PASSWORD',
  'SALLYPORT_ADMIN_PASSWORD_FILE',
  'SALLYPORT_FORGET_KEYS',
  'SALLYPORT_KEY_FILE',
  'SALLYPORT_OIDC_CLIENT_SECRET_FILE',
];

it('shows every setting but those that are hidden on purpose', async () => {
  const shown = (await read()).settings.map(({ name }) => name);
  expect(shown).toEqual(settingName.options);
  expect(new Set([...shown, ...HIDDEN])).toEqual(new Set(settingVariables));
});

it('says where a value comes from, and whether it can be changed here', async () => {
  expect(await settingOf('SALLYPORT_VPN_PORT')).toEqual({
    name: 'SALLYPORT_VPN_PORT',
    value: '51821',
    source: 'environment',
    changeable: false,
  });
  expect(await settingOf('SALLYPORT_HTTPS_PORT')).toMatchObject({ value: '443', source: 'stored' });
  expect(await settingOf('SALLYPORT_NODE_SERVICES')).toMatchObject({ value: '200', source: 'default' });
  expect(await settingOf('SALLYPORT_VPN_HOST')).toMatchObject({ source: 'stored', changeable: true });
  expect(await settingOf('SALLYPORT_ACME_EMAIL')).toMatchObject({ value: null, source: 'default' });
});

it('says of a secret that there is one, and nothing else', async () => {
  const { body } = await admin('GET /api/settings');
  expect(await settingOf('SALLYPORT_OIDC_CLIENT_SECRET')).toMatchObject({ value: 'set', source: 'environment' });
  expect(JSON.stringify(body)).not.toContain('the-secret-of-the-provider');
});

it('tells a feature that is off by choice from one that should run', async () => {
  gateway.world.setUnavailable([
    { feature: 'tunnel', reason: 'It is turned off.', fix: 'Turn it on.', chosen: true },
    { feature: 'letsEncrypt', reason: 'certbot is missing.', fix: 'Install it.' },
  ]);
  const { features } = await read();
  expect(features.filter(({ state }) => state !== 'on')).toEqual([
    { feature: 'tunnel', state: 'off', reason: 'It is turned off.', fix: 'Turn it on.' },
    {
      feature: 'internetThroughVpn',
      state: 'unavailable',
      reason: 'It needs the tunnel, which does not run.',
      fix: 'Turn on the tunnel.',
    },
    { feature: 'letsEncrypt', state: 'unavailable', reason: 'certbot is missing.', fix: 'Install it.' },
  ]);
  expect(features.find(({ feature }) => feature === 'ingress')).toMatchObject({ state: 'on', reason: null });
});

it('asks the service that it is told to, and no address of the caller', async () => {
  const asked: string[] = [];
  gateway.world.setTest(async (service) => {
    asked.push(service);
    return { works: false, text: 'It does not answer.' };
  });
  const reply = await admin('POST /api/settings/test', { service: 'certificateAuthority' });
  expect([reply.status, reply.body]).toEqual([200, { works: false, text: 'It does not answer.' }]);
  for (const body of [
    { service: 'https://192.0.2.1/' },
    { service: 'identityProvider', address: 'https://192.0.2.1/' },
  ]) {
    expect((await admin('POST /api/settings/test', body)).status).toBe(422);
  }
  expect(asked).toEqual(['certificateAuthority']);
});

it('tells nothing to anyone but the administrator', async () => {
  const { body } = await admin('POST /api/tokens', {
    name: 'all',
    scope: ['nodes:write', 'services:write', 'domains:write'],
  });
  const program = testApi(gateway, String(body['token']));
  const stranger = testApi(gateway, null);
  for (const [caller, status] of [
    [edge, 403],
    [program, 403],
    [stranger, 401],
  ] as const) {
    const replies = [
      await caller('GET /api/settings'),
      await caller('POST /api/settings/test', { service: 'identityProvider' }),
    ];
    expect(replies.map((reply) => reply.status)).toEqual([status, status]);
    expect(JSON.stringify(replies.map((reply) => reply.body))).not.toContain('SALLYPORT_');
  }
});
