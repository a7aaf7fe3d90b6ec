import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'vitest';
import { ingressDirectories } from '../../machine/dataDirectory.ts';
import { type NginxTrial, openNginxTrial } from '../../testing/nginxTrial.ts';
import { freePorts } from '../../testing/freePorts.ts';

type Layout = NginxTrial['ingress']['layout'];
type Damage = (layout: Layout) => void;

const PATHS = ['.', 'run', 'run/status.sock', 'logs', 'logs/error.log', 'tmp', 'acme', 'generations', 'current'];
const generation = ({ generations, current }: Layout): string => join(generations, basename(readlinkSync(current)));
const DAMAGES: [string, Damage][] = [
  ...PATHS.map((path): [string, Damage] => [
    `ingress/${path}, deleted`,
    ({ directory }) => rmSync(join(directory, path), { recursive: true }),
  ]),
  ['a generation, corrupted', (layout) => appendFileSync(join(generation(layout), 'nginx.conf'), '}')],
  ['a generation, cut', (layout) => writeFileSync(join(generation(layout), 'nginx.conf'), '')],
  ['a generation, deleted', (layout) => rmSync(generation(layout), { recursive: true })],
  [
    'the link, led astray',
    ({ current }) => {
      rmSync(current);
      mkdirSync(current);
    },
  ],
];

async function apply(trial: NginxTrial, word: string): Promise<number> {
  const applied = await trial.ingress.apply(trial.serving(word));
  if (!applied.ok) throw new Error(JSON.stringify(applied.faults));
  return applied.generation;
}

describe('what was deleted or changed under nginx', () => {
  // Each has an nginx of its own, and waits for the next looks at its directory while the others do.
  it.concurrent.for(DAMAGES)('%s: is noticed, and put right by the next configuration', async ([, damage], test) => {
    const { expect, onTestFinished } = test;
    const [port = 0] = await freePorts(1);
    const trial = await openNginxTrial(port);
    onTestFinished(() => trial.close());
    const { ingress } = trial;
    const first = await apply(trial, 'one');
    const listener = trial.listener();
    expect(await ingress.intact()).toBe(true);
    let alarms = 0;
    const noticed = new Promise<void>((resolve) => {
      ingress.onDamage(() => {
        alarms += 1;
        resolve();
      });
    });
    damage(ingress.layout);
    expect(await ingress.intact()).toBe(false);
    await noticed;
    expect(await trial.visit()).toBe(`one ${first}`);

    const second = await apply(trial, 'two');
    expect(await trial.visit()).toBe(`two ${second}`);
    expect(await ingress.intact()).toBe(true);
    expect(alarms).toBe(1);
    expect(trial.listener()).toBe(listener);
    const { layout } = ingress;
    for (const { path, mode, group } of ingressDirectories(layout.directory, layout.workerUser)) {
      const stat = statSync(path);
      expect([stat.mode & 0o7777, stat.gid], path).toEqual([mode, group ?? stat.gid]);
    }
    expect(Number(readFileSync(layout.pidFile, 'utf8'))).toBe(trial.masterPid());
    expect(existsSync(layout.accessLog) && existsSync(layout.errorLog)).toBe(true);
    expect(readdirSync(layout.run).toSorted()).toEqual(['nginx.pid', 'status.sock']);
    const third = await apply(trial, 'three');
    expect(await trial.visit()).toBe(`three ${third}`);
  });

  it('a status socket that no one listens on, as in a restored copy, is put right by the next configuration', async ({
    expect,
    onTestFinished,
  }) => {
    const [port = 0] = await freePorts(1);
    const trial = await openNginxTrial(port);
    onTestFinished(() => trial.close());
    await apply(trial, 'one');
    const listener = trial.listener();
    const { statusSocket } = trial.ingress.layout;
    execFileSync('cp', ['--archive', statusSocket, `${statusSocket}.copy`]);
    renameSync(`${statusSocket}.copy`, statusSocket);
    const second = await apply(trial, 'two');
    expect(await trial.visit()).toBe(`two ${second}`);
    expect(trial.listener()).toBe(listener);
    const third = await apply(trial, 'three');
    expect(await trial.visit()).toBe(`three ${third}`);
  });
});
