import { appendFile, glob, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { nginxProcesses } from '../support/nginx.ts';
import { duration, report, until } from '../support/fault.ts';
import { domainOf, openScene, type Scene } from '../support/scene.ts';

/** What is broken is repaired by itself within this time. */
const HEALED_LIMIT_MS = 5000;
const PAGE = { status: 200, body: 'a /' };

let scene: Scene;
let ingress: string;
let made = 0;

beforeAll(async () => {
  scene = await openScene();
  ingress = path.join(scene.gateway.data, 'ingress');
  await scene.expose('steady');
  await scene.expose('bystander');
});
afterAll(() => scene?.close());
beforeEach(async () => {
  expect(await scene.visit('steady')).toMatchObject(PAGE);
});

const isHealthy = async (): Promise<boolean> => (await fetch(`${scene.gateway.apiUrl}/healthz`)).ok;
const isServed = async (name: string): Promise<boolean> => (await scene.visit(name)).body === 'a /';

/** Saves a new service; what the answer says must be true. */
async function change(): Promise<string> {
  made += 1;
  const name = `new${made}`;
  expect((await scene.expose(name)).problem).toBeNull();
  expect(await scene.visit(name)).toMatchObject(PAGE);
  return name;
}

/** Kills nginx, which has to read everything from the disk again. */
async function restartNginx(): Promise<number> {
  const before = nginxProcesses(scene.gateway.data)?.master ?? 0;
  process.kill(before, 'SIGKILL');
  return until('nginx is back', HEALED_LIMIT_MS, async () => {
    const now = nginxProcesses(scene.gateway.data)?.master;
    return now !== undefined && now !== before && (await isHealthy()) && (await isServed('steady'));
  });
}

async function certificateOf(name: string): Promise<string> {
  for await (const file of glob(path.join(scene.gateway.data, 'secrets', '**', domainOf(name), 'pair.pem')))
    return file;
  throw new Error(`${name} has no certificate.`);
}

test('a damaged certificate', async () => {
  await writeFile(await certificateOf('steady'), 'not a certificate');
  expect(await scene.visit('steady')).toMatchObject(PAGE);
  await change();
  expect(await scene.visit('steady')).toMatchObject(PAGE);
  await writeFile(await certificateOf('steady'), '');
  const back = await restartNginx();
  expect(await scene.visit('bystander')).toMatchObject(PAGE);
  report(
    'damaged certificate',
    `one overwritten, then a change; once more, then nginx killed: back after ${duration(back)} with a new certificate`,
    'nothing',
  );
});

const damages = [
  { what: 'the generation that is served deleted', damage: (current: string) => rm(current, { recursive: true }) },
  {
    what: 'the generation that is served written over',
    damage: async (current: string) => {
      await appendFile(path.join(current, 'nginx.conf'), '\nnonsense here;\n');
    },
  },
  { what: 'all generations deleted', damage: () => rm(path.join(ingress, 'generations'), { recursive: true }) },
  { what: 'the link to the generation deleted', damage: () => rm(path.join(ingress, 'current')) },
];

const current = () => realpath(path.join(ingress, 'current'));
const isWhole = async (): Promise<boolean> => {
  const text = await readFile(path.join(await current(), 'nginx.conf'), 'utf8').catch(() => '');
  return text !== '' && !text.includes('nonsense');
};

test.each(damages)('$what', async ({ what, damage }) => {
  await damage(await current());
  expect(await scene.visit('steady')).toMatchObject(PAGE);
  const repaired = await until('the generation is whole again', HEALED_LIMIT_MS, () => isWhole().catch(() => false));
  await damage(await current());
  const changed = await change();
  await damage(await current());
  const back = await restartNginx();
  expect(await scene.visit(changed)).toMatchObject(PAGE);
  expect(await isWhole()).toBe(true);
  report(
    what,
    `whole again by itself after ${duration(repaired)}; once more, then a change; once more, then nginx killed: back after ${duration(back)}`,
    'nothing',
  );
});

test('the data directory deleted', async () => {
  const { data } = scene.gateway;
  const away = `${data}.away`;
  await rename(data, away);
  let refusal = '';
  const refused = () =>
    scene.expose('never').then(
      () => false,
      (error: Error) => {
        refusal = error.message;
        return true;
      },
    );
  try {
    expect(await refused()).toBe(true);
    expect(await scene.visit('steady')).toMatchObject(PAGE);
    // An empty one in its place is no better.
    await mkdir(data, { recursive: true });
    expect(await refused()).toBe(true);
    expect(await scene.visit('steady')).toMatchObject(PAGE);
  } finally {
    await rm(data, { recursive: true, force: true });
    await rename(away, data);
  }
  expect(refusal).toMatch(/was deleted or replaced.*nothing can be saved/);
  const healed = await until('writes are taken again', HEALED_LIMIT_MS, () =>
    scene.expose(`back${(made += 1)}`).then(
      ({ problem }) => problem === null,
      () => false,
    ),
  );
  const { data: services } = await scene.client.httpService.listAll();
  expect(services.map(({ name }) => name)).not.toContain('never');
  report(
    'data directory gone',
    `writes refused ("${refusal}"); all well ${duration(healed)} after it was put back`,
    'nothing that was answered',
  );
});
