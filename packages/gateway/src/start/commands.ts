import { existsSync } from 'node:fs';

/** What the administrator types on a machine, which depends on how the gateway was installed there. */
export type Commands = {
  /** Changes settings, as `NAME=VALUE` with a blank between two, and has them count. */
  setting(assignments: string): string;
  /** Runs `sallyport-gateway` with these words. */
  run(words: string): string;
  start: string;
  /** Begins the gateway of a process again; nginx and the tunnel go on. */
  again(pid: number | null): string;
  /** Shows what the gateway said last. */
  log: string;
};

export type Installation = 'package' | 'container' | 'source';

export const commandsOf: Readonly<Record<Installation, Commands>> = {
  package: {
    setting: () => 'sudoedit /etc/sallyport/gateway.env && sudo systemctl reload-or-restart sallyport-gateway',
    run: (words) => `sudo sallyport-gateway ${words}`,
    start: 'sudo systemctl start sallyport-gateway',
    again: () => 'sudo systemctl reload sallyport-gateway',
    log: 'sudo journalctl --unit sallyport-gateway --no-pager --lines 50',
  },
  // On the container's host, next to its compose.yaml.
  container: {
    setting: () => '"${EDITOR:-vi}" compose.yaml && docker compose up --detach gateway',
    run: (words) => `docker compose exec gateway sallyport-gateway ${words}`,
    start: 'docker compose up --detach gateway',
    again: () => 'docker compose restart gateway',
    log: 'docker compose logs --tail 50 gateway',
  },
  source: {
    setting: (assignments) => `${assignments} npm start`,
    run: (words) => `node packages/gateway/dist/main.js ${words}`,
    start: 'npm start',
    again: (pid) => `kill -TERM ${pid ?? 'PID'} && npm start`,
    log: 'npm start',
  },
};

/** It is there where systemd runs, which it does not in a container of our image. */
const SYSTEMD = '/run/systemd/system';

function installation(): Installation {
  // The packaged command names the file of settings; the image has the package as well.
  if (!process.execArgv.some((word) => word.startsWith('--env-file='))) return 'source';
  return existsSync(SYSTEMD) ? 'package' : 'container';
}

/** Those of this gateway. */
export const commands = commandsOf[installation()];
