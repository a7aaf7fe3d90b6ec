import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePorts } from '../../testing/freePorts.ts';
import { findMaster, findOrphans } from './process.ts';
import { type NginxTrial, openNginxTrial } from '../../testing/nginxTrial.ts';
import { certbotsWith } from '../../certificates/certbot.ts';

// A host sees the processes of its containers, and theirs may be called just as its own are.

const tried = spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
const problem = tried.status === 0 ? null : 'this machine lets no one make namespaces for mounts and processes';
if (problem !== null) process.stdout.write(`The nginx of another container is not tried: ${problem}.\n`);

const [PORT = 0] = await freePorts(1);

describe.skipIf(problem !== null)('an nginx of the same name', () => {
  let trial: NginxTrial;
  let directory: string;
  let started: ChildProcess[];

  beforeEach(async () => {
    trial = await openNginxTrial(PORT);
    directory = trial.ingress.layout.directory;
    started = [];
  });
  afterEach(async () => {
    for (const child of started) {
      // All that it has started is of its group.
      if (isServing(child)) {
        process.kill(-Number(child.pid), 'SIGKILL');
        await once(child, 'exit');
      }
    }
    await trial.close();
  });

  /** Runs a line of the shell in namespaces of its own; fulfilled when it has said that it is ready. */
  async function within(namespaces: readonly string[], line: string): Promise<ChildProcess> {
    const words = [...namespaces, '--kill-child=KILL', 'sh', '-ec', line];
    const child = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    started.push(child);
    await once(child.stdout, 'data');
    return child;
  }

  /** What starts nginx on the prefix, as the gateway calls it, and says when it is there. */
  function nginx(before: string): string {
    const config = `daemon off; worker_processes 1; pid ${directory}/run/nginx.pid; error_log ${directory}/logs/error.log notice; events {} http { access_log ${directory}/logs/access.log; server { listen unix:${directory}/run/other.sock; } }`;
    return `${before}
      mkdir -p ${directory}/current ${directory}/run ${directory}/logs
      echo '${config}' > ${directory}/current/nginx.conf
      nginx -p ${directory} -c ${directory}/current/nginx.conf -e ${directory}/logs/error.log &
      while ! [ -s ${directory}/run/nginx.pid ] || ! [ -S ${directory}/run/other.sock ]; do sleep 0.02; done
      echo ready
      wait`;
  }

  const isServing = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;
  const over = (): string => `mount -t tmpfs tmpfs ${directory}`;

  it.each([
    ['of a container with files of its own', ['--mount', '--pid', '--fork'], over],
    ['of a container with files of its own that sees our processes', ['--mount', '--fork'], over],
    ['of a container that shares our files', ['--mount', '--pid', '--fork'], () => ''],
  ])('%s is neither adopted nor ended', async (_, namespaces, before) => {
    const other = await within(namespaces, nginx(before()));
    expect(findMaster(trial.ingress.layout)).toBeNull();
    expect(findOrphans(trial.ingress.layout)).toEqual([]);
    expect(await trial.ingress.running()).toBe(false);
    await trial.ingress.stop();
    expect(isServing(other)).toBe(true);
  });

  it('whose master was killed in a container is not ended either', async () => {
    const killed = `${nginx(over()).replace(/echo ready\s+wait/, '')}
      kill -KILL $(cat ${directory}/run/nginx.pid)
      echo ready
      sleep 600`;
    await within(['--mount', '--pid', '--fork'], killed);
    expect(findOrphans(trial.ingress.layout)).toEqual([]);
  });

  it('is adopted and ended when it is ours, also where a service manager gave it mounts of its own', async () => {
    await within(['--mount', '--fork'], nginx(`mount --bind ${trial.data.path} ${trial.data.path}`));
    expect(findMaster(trial.ingress.layout)).not.toBeNull();
    await trial.ingress.stop();
    expect(findMaster(trial.ingress.layout)).toBeNull();
  });

  it('and a certbot of the same name are told apart likewise', async () => {
    const place = join(trial.data.secrets, 'issued');
    mkdirSync(place);
    // It waits without a child, whose arguments would be the script's own until it has become another program.
    writeFileSync(join(place, 'certbot.sh'), `mkfifo ${place}/$$; echo ready; read line < ${place}/$$\n`);
    const line = `sh ${place}/certbot.sh --config-dir=${place}; true`;
    await within(['--mount', '--pid', '--fork'], line);
    expect(certbotsWith(`--config-dir=${place}`, place)).toEqual([]);
    await within(['--mount', '--fork'], line);
    expect(certbotsWith(`--config-dir=${place}`, place)).toHaveLength(1);
    expect(existsSync(place)).toBe(true);
  });
});
