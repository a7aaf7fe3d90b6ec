import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeIngress } from './ingress.contract.ts';
import type { Applied } from './ingress.ts';
import { createNginxIngress } from './nginxIngress.ts';
import { findOtherMasters, findReader } from './process.ts';
import { type NginxTrial, openNginxTrial, trialConfig, visit } from '../../testing/nginxTrial.ts';
import { freePorts } from '../../testing/freePorts.ts';

const [PORT = 0, SECOND_PORT = 0, TAKEN_PORT = 0] = await freePorts(3);

describeIngress('real nginx', () => openNginxTrial(PORT));

describe('a real nginx and its faults', () => {
  let trial: NginxTrial;
  let occupant: Server | null = null;
  beforeEach(async () => {
    trial = await openNginxTrial(PORT);
  });
  afterEach(async () => {
    await release();
    await trial.close();
  });

  const occupy = async (host: string): Promise<void> => {
    occupant = createServer().listen(TAKEN_PORT, host);
    await once(occupant, 'listening');
  };
  const release = async (): Promise<void> => {
    if (occupant === null) return;
    occupant.close();
    await once(occupant, 'close');
    occupant = null;
  };
  const generationOf = (applied: Applied): number => {
    expect(applied).toMatchObject({ ok: true });
    return applied.ok ? applied.generation : 0;
  };
  const applyWord = async (word: string): Promise<number> =>
    generationOf(await trial.ingress.apply(trial.serving(word)));
  const pointed = (): number => Number(basename(readlinkSync(trial.ingress.layout.current)));
  const withListener = (address: string) =>
    trialConfig(trial.ingress.layout, PORT, 'more', `server { location / { return 204; }\n listen ${address};\n }`);

  it('names the address of a port that is taken, and goes on with what it served', async () => {
    const first = await applyWord('one');
    await occupy('0.0.0.0');
    const refused = await trial.ingress.apply(withListener(String(TAKEN_PORT)));
    expect(refused).toEqual({
      ok: false,
      faults: [
        {
          message: `bind() to 0.0.0.0:${TAKEN_PORT} failed (98: Address already in use)`,
          address: `0.0.0.0:${TAKEN_PORT}`,
        },
      ],
    });
    expect(await trial.visit()).toBe(`one ${first}`);
    expect(pointed()).toBe(first);
    await release();
    const second = generationOf(await trial.ingress.apply(withListener(String(TAKEN_PORT))));
    expect(await trial.visit()).toBe(`more ${second}`);
  });

  it('takes nginx’s own word for an address that could not be foretold', async () => {
    const first = await applyWord('one');
    await occupy('127.0.0.1');
    // A name is resolved by nginx alone, so the address is not tried before.
    const refused = await trial.ingress.apply(withListener(`localhost:${TAKEN_PORT}`));
    expect(refused).toMatchObject({ ok: false, faults: [{ address: `127.0.0.1:${TAKEN_PORT}` }] });
    expect(await trial.visit()).toBe(`one ${first}`);
    expect(pointed()).toBe(first);
    expect(await applyWord('two')).toBeGreaterThan(first);
  });

  it('does not start on a taken port, leaves nothing behind, and starts when the port is free', async () => {
    await occupy('127.0.0.1');
    const files = trialConfig(trial.ingress.layout, TAKEN_PORT, 'one');
    expect(await trial.ingress.apply(files)).toMatchObject({
      ok: false,
      faults: [{ address: `127.0.0.1:${TAKEN_PORT}` }],
    });
    expect(await trial.ingress.running()).toBe(false);
    expect(existsSync(trial.ingress.layout.current)).toBe(false);
    await release();
    const first = generationOf(await trial.ingress.apply(files));
    expect(await visit(TAKEN_PORT)).toBe(`one ${first}`);
  });

  it('shows only the new generation to every new connection once apply is done', async () => {
    for (let round = 0; round < 8; round += 1) {
      const generation = await applyWord(`round${round}`);
      const answers = await Promise.all(Array.from({ length: 50 }, () => trial.visit()));
      expect(new Set(answers)).toEqual(new Set([`round${round} ${generation}`]));
    }
  });

  it('keeps the generation that is served and no other', async () => {
    for (const word of ['a', 'b', 'c']) await applyWord(word);
    const last = await applyWord('d');
    await trial.ingress.check(trial.serving('e'));
    const { stdout } = await promisify(execFile)('ls', [trial.ingress.layout.generations]);
    expect(stdout.trim().split('\n').map(Number)).toEqual([last]);
  });

  it('says that the machine is at fault when it cannot write, and goes on when it can', async () => {
    const first = await applyWord('one');
    const { generations } = trial.ingress.layout;
    renameSync(generations, `${generations}.away`);
    writeFileSync(generations, '');
    const refused = await trial.ingress.apply(trial.serving('two'));
    expect(refused).toMatchObject({ ok: false, faults: [{ environment: true }] });
    expect(await trial.visit()).toBe(`one ${first}`);
    rmSync(generations);
    const second = await applyWord('two');
    expect(await trial.visit()).toBe(`two ${second}`);
  });

  it('never signals a stranger when its pid file is wrong, and still finds its master', async () => {
    await applyWord('one');
    const listener = trial.listener();
    // This very process: any signal would end the test.
    writeFileSync(trial.ingress.layout.pidFile, `${process.pid}\n`);
    const second = await applyWord('two');
    expect(trial.listener()).toBe(listener);
    rmSync(trial.ingress.layout.pidFile);
    expect(await trial.ingress.running()).toBe(true);
    expect(await trial.visit()).toBe(`two ${second}`);
  });

  it('comes back although the workers of a killed master still hold its ports', async () => {
    const first = await applyWord('one');
    const died = new Promise<void>((resolve) => trial.ingress.onDeath(resolve));
    await trial.crash();
    expect(await trial.visit()).toBe(`one ${first}`);
    await died;
    const second = await applyWord('two');
    const answers = await Promise.all(Array.from({ length: 50 }, () => trial.visit()));
    expect(new Set(answers)).toEqual(new Set([`two ${second}`]));
  });

  it('serves on when its gateway is killed, and the next gateway adopts it', async () => {
    const script = `
      import { openDataDirectory } from ${JSON.stringify(new URL('../../machine/dataDirectory.ts', import.meta.url).href)};
      import { createNginxIngress } from ${JSON.stringify(new URL('./nginxIngress.ts', import.meta.url).href)};
      import { trialConfig } from ${JSON.stringify(new URL('../../testing/nginxTrial.ts', import.meta.url).href)};
      const data = openDataDirectory(process.argv[1]);
      const ingress = await createNginxIngress({ data });
      const applied = await ingress.apply(trialConfig(ingress.layout, ${PORT}, 'orphan'));
      console.log(JSON.stringify(applied));
      setInterval(() => {}, 1000);`;
    trial.data.close();
    const gateway = spawn(process.execPath, ['--input-type=module', '-e', script, trial.data.path], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, SALLYPORT_ADMIN_PASSWORD: 'hunter2-hunter2' },
    });
    const [line]: unknown[] = await once(gateway.stdout, 'data').finally(() => gateway.kill('SIGKILL'));
    // 'close' comes only when no one holds the pipe any more, so nginx did not inherit it.
    await once(gateway, 'close');
    const { generation } = JSON.parse(String(line)) as { generation: number };
    const master = trial.masterPid();
    expect(await trial.visit()).toBe(`orphan ${generation}`);
    expect(readFileSync(`/proc/${master}/environ`, 'latin1')).not.toContain('hunter2');

    const listener = trial.listener();
    const heir = await createNginxIngress({ data: trial.data });
    const second = generationOf(await heir.apply(trial.serving('adopted')));
    heir.close();
    expect(second).toBeGreaterThan(generation);
    expect(trial.listener()).toBe(listener);
    expect(await trial.visit()).toBe(`adopted ${second}`);
  });

  /** As soon as the next one is started; before that, the master takes no second signal for it. */
  const isThere = (): boolean =>
    findReader(trial.ingress.layout) !== null || findOtherMasters(trial.ingress.layout).length === 1;

  it.each([
    ['is still reading', () => expect.poll(isThere, { interval: 1 }).toBe(true)],
    ['serves, too', () => expect.poll(() => findOtherMasters(trial.ingress.layout).length).toBe(1)],
  ])('a gateway after one that was killed during a reload, whose next nginx %s, has one nginx', async (_, come) => {
    await applyWord('one');
    process.kill(trial.masterPid() ?? 0, 'SIGUSR2');
    await come();
    const heir = await createNginxIngress({ data: trial.data });
    const second = generationOf(await heir.apply(trial.serving('two')));
    heir.close();
    const answers = await Promise.all(Array.from({ length: 50 }, () => trial.visit()));
    expect(new Set(answers)).toEqual(new Set([`two ${second}`]));
    expect(findOtherMasters(trial.ingress.layout)).toEqual([]);
  });

  it('has one nginx again after one that hung during a change', { timeout: 60_000 }, async () => {
    await applyWord('one');
    const master = trial.masterPid() ?? 0;
    process.kill(master, 'SIGSTOP');
    expect(await trial.ingress.apply(trial.serving('two'))).toMatchObject({ ok: false });
    process.kill(master, 'SIGCONT');
    await expect.poll(() => findOtherMasters(trial.ingress.layout).length).toBe(1);
    const third = await applyWord('three');
    const answers = await Promise.all(Array.from({ length: 50 }, () => trial.visit()));
    expect(new Set(answers)).toEqual(new Set([`three ${third}`]));
    expect(findOtherMasters(trial.ingress.layout)).toEqual([]);
  });

  it('stops its own nginx and no one else’s', async () => {
    const other = await openNginxTrial(SECOND_PORT);
    await applyWord('one');
    const theirs = generationOf(await other.ingress.apply(other.serving('other')));
    await trial.ingress.stop();
    expect(await trial.visit()).toBeNull();
    expect(await other.visit()).toBe(`other ${theirs}`);
    await other.close();
  });

  it('stops the workers of a killed master as well', async () => {
    const generation = await applyWord('one');
    await trial.crash();
    expect(await trial.visit()).toBe(`one ${generation}`);
    await trial.ingress.stop();
    expect(await trial.visit()).toBeNull();
  });

  it('gives the workers what they need and no more', async () => {
    const { layout } = trial.ingress;
    const gateway = createHttpServer((incoming, response) => {
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => (bytes += chunk.length));
      incoming.on('end', () => response.end(`got ${bytes}`));
    }).listen(layout.gatewaySocket);
    await once(gateway, 'listening');
    chmodSync(layout.gatewaySocket, 0o666);
    writeFileSync(join(layout.acme, 'challenge'), 'challenged');
    await applyWord('one');
    expect(await visit(PORT, '/acme/challenge')).toBe('challenged');
    const upload = request({ host: '127.0.0.1', port: PORT, path: '/upload', method: 'POST', agent: false });
    upload.end(randomBytes(1 << 20));
    const [response] = (await once(upload, 'response')) as [AsyncIterable<Buffer>];
    let text = '';
    for await (const chunk of response) text += chunk.toString();
    expect(text).toBe(`got ${1 << 20}`);
    gateway.close();
    expect(statSync(layout.logs).uid).toBe(process.getuid?.());
  });

  it('keeps no error log larger than a few megabytes', async () => {
    await applyWord('one');
    const { errorLog } = trial.ingress.layout;
    truncateSync(errorLog, 5_000_000);
    await applyWord('two');
    // The next one waits for what follows this one.
    const third = await applyWord('three');
    expect(statSync(errorLog).size).toBeLessThan(100_000);
    expect(statSync(`${errorLog}.old`).size).toBeGreaterThanOrEqual(5_000_000);
    expect(await trial.visit()).toBe(`three ${third}`);
    const refused = await trial.ingress.apply(trial.broken());
    expect(refused).toMatchObject({ ok: false, faults: [{ file: 'broken.conf', line: 3 }] });
    expect(readFileSync(errorLog, 'utf8')).toContain('no_such_directive');
  });
});
