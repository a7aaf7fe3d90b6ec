import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  certificateFile,
  expose,
  openReconcileTrial,
  type ReconcileTrial,
  save,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';

let trial: ReconcileTrial;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  trial = await openReconcileTrial();
});
afterAll(async () => {
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

/** Answers with its own name. */
const backend = async (name: string): Promise<number> => {
  const { port, stop } = await startBackend((_request, response) => response.end(name));
  stops.push(stop);
  return port;
};
const seen = async (host: string) => (await visit(trial, host)).body;

describe('a fault', () => {
  const damage = (id: number): void => {
    const database = new Database(trial.databaseFile);
    database.prepare('update http_services set blocked_ips = ? where id = ?').run('["999.1.1.1"]', id);
    database.close();
  };

  it('of a caller is taken back, with the reason', async () => {
    const { value } = await expose(trial, 'caller.example.test', await backend('caller'));
    const { rejected } = await save(trial, (tx) => tx.httpServices.update(value.id, { blockedIps: ['999.1.1.1'] }));
    expect(rejected).toBe('nginx does not accept the value "999.1.1.1".');
    expect(await trial.store.httpServices.get(value.id)).toEqual(value);
    expect(await seen('caller.example.test')).toBe('caller');
  });

  it('of a row that was damaged by hand closes that one alone, at run time and at the start', async () => {
    const port = await backend('bystander');
    const { value: bad } = await expose(trial, 'damaged.example.test', port);
    await expose(trial, 'bystander.example.test', port);
    damage(bad.id);
    const { rejected } = await expose(trial, 'newcomer.example.test', port);
    const check = async (): Promise<void> => {
      expect(trial.reconciler.problem('httpService', bad.id)).toBe('nginx does not accept the value "999.1.1.1".');
      expect((await visit(trial, 'damaged.example.test')).status).toBe(503);
      for (const host of ['bystander.example.test', 'newcomer.example.test'])
        expect(await seen(host)).toBe('bystander');
    };
    expect(rejected).toBeNull();
    await check();
    expect(await trial.restart()).toEqual({ problem: null });
    await check();
    await save(trial, (tx) => tx.httpServices.update(bad.id, { blockedIps: null }));
    expect(await seen('damaged.example.test')).toBe('bystander');
  });

  it('of a certificate is repaired before anybody sees it', async () => {
    const host = 'certificate.example.test';
    const { value } = await expose(trial, host, await backend('certificate'));
    writeFileSync(certificateFile(trial, host), 'not a certificate');
    expect((await expose(trial, 'after.example.test', value.backendPort)).rejected).toBeNull();
    for (const name of [host, 'after.example.test']) expect(await seen(name)).toBe('certificate');
  });
});

describe('nginx', () => {
  it('is back by itself when its master is killed, and it is said meanwhile', async () => {
    const { value } = await expose(trial, 'back.example.test', await backend('back'));
    const back = Promise.withResolvers<void>();
    const ups: boolean[] = [];
    const forget = trial.reconciler.onFindings(() => {
      ups.push(trial.reconciler.state().up);
      if (trial.reconciler.state().up) back.resolve();
    });
    process.kill(Number(readFileSync(trial.ingress.layout.pidFile, 'utf8')), 'SIGKILL');
    await back.promise;
    forget();
    expect(ups).toEqual([false, true]);
    expect(await seen('back.example.test')).toBe('back');
    expect(trial.reconciler.problem('httpService', value.id)).toBeNull();
  });
});
