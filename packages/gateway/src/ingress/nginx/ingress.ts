import { join } from 'node:path';
import type { DataDirectory, WorkerUser } from '../../machine/dataDirectory.ts';
import type { Fault } from './faults.ts';
import type { NginxProgram } from './program.ts';

/** One file of a generation. `path` is relative to the generation's directory; `nginx.conf` is the main one. */
export type ConfigFile = { path: string; text: string };

/** What became of a configuration. `ok` means that nginx serves it, and nothing older, to every new connection. */
export type Applied = { ok: true; generation: number } | { ok: false; faults: Fault[] };

// No path, name or address that an administrator gives may hold an @.
const GENERATION_MARK = '@GENERATION@';

/** Where things are, as absolute paths. The configuration must use `pidFile`, `statusSocket` and `errorLog`. */
export type IngressLayout = {
  /**
   * The word in a configuration that becomes the generation's number. The main file must answer it: `GET /generation` on
   * `statusSocket` returns it, a space, and `$pid`.
   */
  generationMark: string;
  /** nginx's prefix. */
  directory: string;
  generations: string;
  /** A symbolic link to the generation that nginx serves, or is being asked to serve. */
  current: string;
  run: string;
  logs: string;
  /** Parent of nginx's temporary directories; nginx makes those itself, each in the name of its workers. */
  tmp: string;
  /** Web root of the ACME challenges. */
  acme: string;
  /** One directory a domain, below `secrets`. */
  certificates: string;
  pidFile: string;
  /** The gateway's own socket, on which nginx reaches it. */
  gatewaySocket: string;
  statusSocket: string;
  accessLog: string;
  errorLog: string;
  /** The account to name in nginx's `user` directive; null without root, when there is no such directive. */
  workerUser: WorkerUser | null;
  /** Whether nginx can serve TCP and UDP. */
  hasStream: boolean;
  /** The module to load for that; null when there is none or when it is built in. */
  streamModule: string | null;
  /** The module to load for taking headers out of requests; null when there is none. */
  headersModule: string | null;
  /** Whether it can close a connection in one direction alone. */
  hasHalfClose: boolean;
};

/** nginx, as the gateway uses it. Calls of `apply`, `check` and `stop` wait for each other. */
export type Ingress = {
  layout: IngressLayout;
  /**
   * Makes nginx serve these files, starting it when it does not run. On any fault what was served before goes on.
   * @param origin what they were made of, to be told by `origin`
   */
  apply(files: ConfigFile[], origin?: string): Promise<Applied>;
  /**
   * Whether memory has room for one more generation next to what older ones need, which finish their connections. Where not,
   * what can wait is better served together.
   */
  hasRoom(): boolean;
  /**
   * The origin of what nginx serves, also for a gateway before, or served last where it does not run. Undefined: that
   * gateway gave none; null: no one knows.
   */
  origin(): Promise<string | undefined | null>;
  /** Asks nginx about these files without serving them. */
  check(files: ConfigFile[]): Promise<Fault[]>;
  /**
   * Has nginx serve what it served last, where no new files can be written; fulfilled with the number of that
   * configuration, or null when there is none, or it cannot be served either.
   */
  resume(): Promise<number | null>;
  running(): Promise<boolean>;
  /** Calls back, within about half a second, when a master that served disappears. `apply` brings it back. */
  onDeath(listener: () => void): () => void;
  /**
   * Calls back, within about three seconds and once, when something of what nginx lives on was deleted or changed: its
   * directories, the generation it serves, its logs. nginx serves on from memory; the next `apply` puts things right.
   */
  onDamage(listener: () => void): () => void;
  /** Whether everything that nginx lives on is as `apply` left it; true also while nothing is served. */
  intact(): Promise<boolean>;
  /**
   * Has nginx open its logs again under their names, and returns when nothing of ours holds the old files any more, old
   * workers included: what is written from then on is in the new ones. Does nothing while nginx does not run.
   * @throws {Error} when a process did not let go of an old log within seconds
   */
  reopenLogs(): Promise<void>;
  /** Ends our nginx with all its connections, and returns when it is gone. */
  stop(): Promise<void>;
  /** Stops watching. nginx goes on serving, for the next gateway to adopt. */
  close(): void;
};

const logsOf = ({ ingress }: Pick<DataDirectory, 'ingress'>): string => join(ingress, 'logs');

/** nginx's access log. */
export const accessLogOf = (data: Pick<DataDirectory, 'ingress'>): string => join(logsOf(data), 'access.log');

/** Works out the paths of an ingress from its data directory. */
export function ingressLayout(
  data: Pick<DataDirectory, 'ingress' | 'secrets' | 'workerUser'>,
  nginx: Pick<NginxProgram, 'hasStream' | 'streamModule' | 'headersModule' | 'hasHalfClose'>,
): IngressLayout {
  const directory = data.ingress;
  const run = join(directory, 'run');
  const logs = logsOf(data);
  return {
    generationMark: GENERATION_MARK,
    directory,
    generations: join(directory, 'generations'),
    current: join(directory, 'current'),
    run,
    logs,
    tmp: join(directory, 'tmp'),
    acme: join(directory, 'acme'),
    certificates: join(data.secrets, 'certificates'),
    pidFile: join(run, 'nginx.pid'),
    gatewaySocket: join(run, 'gateway.sock'),
    statusSocket: join(run, 'status.sock'),
    accessLog: accessLogOf(data),
    errorLog: join(logs, 'error.log'),
    workerUser: data.workerUser,
    hasStream: nginx.hasStream,
    streamModule: nginx.streamModule,
    headersModule: nginx.headersModule,
    hasHalfClose: nginx.hasHalfClose,
  };
}
