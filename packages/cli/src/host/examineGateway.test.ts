import { createTestGateway } from '@sallyport/gateway/testing';
import { createClient } from '@sallyport/sdk';
import { expect, it, onTestFinished } from 'vitest';
import type { Context } from '../context.ts';
import { operatorSteps } from './examineGateway.ts';

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
    finding: '0 of 2 nodes are connected; no host has joined yet as edge, site',
  });
  gateway.world.setNodeRuntime(edgeId, { latestHandshakeTimestamp: Date.now() - 7_260_000 });
  expect(await of('tunnel')).toMatchObject({
    state: 'failed',
    finding: expect.stringMatching(/^1 of 2 nodes are not connected: edge/),
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
  expect(await of('backend')).toMatchObject({ state: 'ok', finding: '1 of 1 checked services have a backend' });
});
