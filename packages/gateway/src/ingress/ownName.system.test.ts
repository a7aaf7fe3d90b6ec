import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  domainRow,
  openReconcileTrial,
  type ReconcileTrial,
  save,
  serviceRow,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';

// A domain of an older gateway that is the gateway's own name: what stands on that name is served all the same.

let trial: ReconcileTrial;
let backend: Awaited<ReturnType<typeof startBackend>>;
let other: Awaited<ReturnType<typeof startBackend>>;

beforeAll(async () => {
  backend = await startBackend((request, response) => response.end(String(request.url)));
  other = await startBackend((_request, response) => response.end('without a domain'));
  trial = await openReconcileTrial();
});
afterAll(async () => {
  await trial.close();
  await backend.stop();
  await other.stop();
});

const seen = async (path: string) => {
  const { status, body } = await visit(trial, 'gateway.test', { path });
  return status === 200 ? body : status;
};

it('serves the services of a domain with its own name, and all others on that name', async () => {
  await save(trial, (tx) => tx.httpServices.create(serviceRow(other.port, { pathLocation: '/plain' })));
  const { value: ids } = await trial.store.write(async (tx) => {
    const { id: domain } = await tx.domains.create(domainRow('gateway.test'));
    const named = { domain: 'gateway.test' };
    const { id: root } = await tx.httpServices.create(serviceRow(backend.port, named));
    const { id: taken } = await tx.httpServices.create(serviceRow(backend.port, { ...named, pathLocation: '/plain' }));
    const secret = { ...named, pathLocation: '/secret', requireAuth: true };
    const { id: members } = await tx.httpServices.create(serviceRow(backend.port, secret));
    return { domain, root, taken, members };
  });
  await trial.reconciler.publish([]);
  for (const at of ['now', 'after a restart']) {
    expect(await seen('/plain/x'), at).toBe('without a domain');
    expect(await seen('/other'), at).toBe('/other');
    expect(await seen('/secret'), at).toBe(503);
    expect(trial.reconciler.problem('domain', ids.domain)).toMatch(/^This is a name of the gateway itself/);
    expect(trial.reconciler.problem('httpService', ids.root)).toBeNull();
    expect(trial.reconciler.problem('httpService', ids.taken)).toMatch(/^Another service is already reached/);
    expect(trial.reconciler.problem('httpService', ids.members)).toMatch(/asks visitors to sign in/);
    await trial.restart();
  }
  await save(trial, async (tx) => {
    for (const id of [ids.root, ids.taken, ids.members]) await tx.httpServices.remove(id);
  });
  expect(await seen('/plain/x')).toBe('without a domain');
  expect(await seen('/other')).toBe(404);
});
