import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, newIdempotencyKey } from '@sallyport/sdk';
import { type GatewayProcess, signedIn, startGateway } from '../support/gateway.ts';

let gateway: GatewayProcess;
let client: Client;

beforeAll(async () => {
  gateway = await startGateway();
  // It is the test that sends again, once the next gateway is there.
  ({ client } = await signedIn(gateway));
});
afterAll(() => gateway?.close());

/** Has nginx do nothing for as long as `work` takes: what is committed is not answered. */
async function whileNginxHangs(work: () => Promise<void>): Promise<void> {
  const pid = Number(await readFile(path.join(gateway.data, 'ingress/run/nginx.pid'), 'utf8'));
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

test('a write whose gateway is killed between commit and answer has one outcome', async () => {
  const write = client.httpService.create;
  const input = {
    params: { nodeId: 1 },
    body: { name: 'Wiki', domain: 'wiki.example.test', backendHost: '127.0.0.1', backendPort: 8080 },
  };
  const options = { idempotencyKey: newIdempotencyKey() };
  await whileNginxHangs(async () => {
    const lost = write(input, options).then(
      () => 'answered',
      (error: { kind: string }) => error.kind,
    );
    const database = new DatabaseSync(path.join(gateway.data, 'sallyport.db'), { readOnly: true });
    const committed = database.prepare("select count(*) as rows from http_services where name = 'Wiki'");
    await expect.poll(() => committed.get()?.['rows'], { timeout: 20_000 }).toBe(1);
    database.close();
    await gateway.end('SIGKILL');
    expect(await lost).toBe('unreachable');
  });
  await gateway.start();

  const again = await write(input, options);
  // The domain was made by the first one, and that is what is said.
  expect(again).toMatchObject({ name: 'Wiki', domain: 'wiki.example.test', domainCreated: true, problem: null });
  const { data } = await client.httpService.list({ params: { nodeId: 1 }, query: {} });
  expect(data.filter(({ name }) => name === 'Wiki')).toEqual([expect.objectContaining({ id: again.id })]);
  await expect(write({ ...input, body: { ...input.body, name: 'Other' } }, options)).rejects.toMatchObject({
    kind: 'conflict',
    status: 409,
  });
});
