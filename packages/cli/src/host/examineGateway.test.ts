import { createTestGateway } from '@sallyport/gateway/testing';
import { createClient } from '@sallyport/sdk';
import { expect, it, onTestFinished } from 'vitest';
import type { Context } from '../context.ts';
import { gatewaySteps, operatorSteps } from './examineGateway.ts';

/** A gateway that an operator looks at, and what one step finds there. */
async function examined() {
  const gateway = await createTestGateway();
  onTestFinished(() => gateway.stop());
  const url = 'https://gateway.example.test';
  const client = createClient({ baseUrl: url, fetch: gateway.fetch, token: await gateway.signIn() });
  const context = { now: gateway.clock.now } as Context;
  const steps = operatorSteps(context, { url, pin: null, client, signIn: '' }, { isSignedIn: true, expiresAt: null });
  return { gateway, client, of: async (name: string) => steps.find((step) => step.name === name)?.work() };
}

it('warns of what is off, and not of the sign-in for visitors, which a gateway may go without', async () => {
  const { gateway, of } = await examined();
  const off = (feature: 'tunnel' | 'visitorSignIn') => ({ feature, reason: 'It is off.', fix: 'Turn it on.' });
  gateway.world.setUnavailable([off('tunnel'), off('visitorSignIn')]);
  expect(await of('parts')).toEqual([
    { state: 'warning', finding: 'tunnel: It is off.', fix: 'Turn it on.' },
    { state: 'skipped', finding: 'sign-in for visitors: It is off.', fix: 'Turn it on.' },
  ]);
});

it('finds no fault in a node that waits for the first connection of its host', async () => {
  const { gateway, of } = await examined();
  const { edgeId } = await gateway.seed();
  expect(await of('tunnel')).toMatchObject({
    state: 'ok',
    finding: '0 of 2 nodes are online; no host has joined yet as edge, site',
  });
  gateway.world.setNodeRuntime(edgeId, { latestHandshakeTimestamp: Date.now() - 7_260_000 });
  expect(await of('tunnel')).toMatchObject({
    state: 'failed',
    finding: expect.stringMatching(/^1 of 2 nodes are offline: edge/),
  });
});

it('calls a node idle as the lists do, and counts it as one that is not online', async () => {
  const { gateway, of } = await examined();
  const { edgeId, siteId } = await gateway.seed();
  gateway.world.setNodeRuntime(edgeId, { status: 'idle', latestHandshakeTimestamp: Date.now() - 60_000 });
  gateway.world.setNodeRuntime(siteId, { status: 'online', latestHandshakeTimestamp: Date.now() });
  expect(await of('tunnel')).toEqual({
    state: 'ok',
    finding: '1 of 2 nodes are online; idle, as nothing came from them lately: edge',
    fix: null,
  });
});

it('says that no backup was made as the gateway itself does: no fault', async () => {
  const { of } = await examined();
  expect(await of('backup')).toEqual({
    state: 'ok',
    finding: 'none was made with sallyport-gateway backup',
    fix: null,
  });
});

it('sends to the machine of the gateway where its port is closed', async () => {
  const { client } = await examined();
  const closed = { url: 'https://127.0.0.1:1', pin: null, client, signIn: '' };
  const step = gatewaySteps({ io: { say: () => undefined } } as unknown as Context, closed).find(
    ({ name }) => name === 'port',
  );
  expect(await step?.work()).toMatchObject({
    state: 'failed',
    fix: "on the gateway's machine: sudo sallyport-gateway check; is port 1 open in its firewall, and is https://127.0.0.1:1 still its address? If not, on each host: sudo sallyport connect --url NEW-URL",
  });
});

it('counts only the services whose backend is asked: not the console', async () => {
  const { gateway, client, of } = await examined();
  const { edgeId, wikiId } = await gateway.seed();
  await expect
    .poll(() => of('backend'))
    .toMatchObject({
      state: 'failed',
      finding: expect.stringMatching(/^1 of 2 checked services fail: Wiki \(/),
    });
  await client.httpService.remove({ params: { nodeId: edgeId, id: wikiId } });
  expect(await of('backend')).toMatchObject({ state: 'ok', finding: '1 of 1 checked service has a backend' });
});
