import type { Store } from '../store/store.ts';
import { unlessUnwritable } from '../store/open.ts';
import { portIsFree, portProblem } from '../machine/listenPorts.ts';
import { StartError } from '../machine/startError.ts';

/** The ports on which visitors arrive. */
type IngressPorts = { http: number; https: number };

const USUAL: IngressPorts = { http: 80, https: 443 };
const FIRST_CHOICES: IngressPorts[] = [USUAL, { http: 8080, https: 8443 }];
const MORE_PAIRS = 100;
const PORT_MAX = 65_535;

/**
 * The ports on which visitors arrive: those of the environment, else those of the start before, else what is free. They
 * are stored, so that links and bookmarks stay right.
 * @throws {StartError} when none are free, or one is meant for two things
 */
export async function ingressPorts(
  store: Store,
  wanted: { http: number | null; https: number | null; console: number },
  choose: () => Promise<IngressPorts> = chooseIngressPorts,
): Promise<IngressPorts> {
  const stored = { http: await store.settings.get('httpPort'), https: await store.settings.get('httpsPort') };
  const before = soundPorts(stored);
  const http = wanted.http ?? before?.http ?? null;
  const https = wanted.https ?? before?.https ?? null;
  const chosen = http === null || https === null ? await choose() : null;
  const ports = { http: http ?? chosen?.http ?? 0, https: https ?? chosen?.https ?? 0 };
  if (new Set([ports.http, ports.https, wanted.console]).size < 3) {
    throw new StartError(
      `The ports for HTTP (${ports.http}), HTTPS (${ports.https}) and the console (${wanted.console}) must differ. Change SALLYPORT_HTTP_PORT, SALLYPORT_HTTPS_PORT or SALLYPORT_CONSOLE_PORT.`,
    );
  }
  if (stored.http === String(ports.http) && stored.https === String(ports.https)) return ports;
  const kept = store.write(async (tx) => {
    await tx.settings.set('httpPort', String(ports.http));
    await tx.settings.set('httpsPort', String(ports.https));
  });
  await unlessUnwritable(kept);
  return ports;
}

/** The ports of the start before, as they are stored. Rows that were damaged keep nothing from starting: null, both are chosen again. */
export const soundPorts = ({ http, https }: Record<keyof IngressPorts, string | null>): IngressPorts | null =>
  isPort(http) && isPort(https) && http !== https ? { http: Number(http), https: Number(https) } : null;

const isPort = (stored: string | null): boolean => /^[1-9]\d{0,4}$/.test(stored ?? '') && Number(stored) <= PORT_MAX;

/**
 * The ports for the first start: 80 and 443 when both can be had, else 8080 and 8443, else the next pair that is free.
 * The caller stores them, so that they never move by themselves.
 * @throws {StartError} when none of a hundred pairs is free
 */
export async function chooseIngressPorts(
  free: (port: number) => Promise<boolean> = (port) => portIsFree('tcp', port),
): Promise<IngressPorts> {
  const pairs = [
    ...FIRST_CHOICES,
    ...Array.from({ length: MORE_PAIRS }, (_, index) => ({ http: 8081 + index, https: 8444 + index })),
  ];
  for (const pair of pairs) {
    if ((await free(pair.http)) && (await free(pair.https))) return pair;
  }
  throw new StartError(
    'No free pair of ports was found for the ingress. Name two with SALLYPORT_HTTP_PORT and SALLYPORT_HTTPS_PORT.',
  );
}

/**
 * That visitors arrive on other ports than 80 and 443 although no setting says so, and how to change it; null: they do not, or this
 * account may not listen there.
 */
export async function unusualPorts(
  ports: IngressPorts,
  wanted: { http: number | null; https: number | null },
  problemOf: (port: number) => Promise<string | null> = (port) => portProblem('tcp', port),
): Promise<{ reason: string; todo: string; setting: string } | null> {
  if (wanted.http !== null || wanted.https !== null || ports.http === USUAL.http) return null;
  const problems = [];
  for (const port of [USUAL.http, USUAL.https]) problems.push({ port, problem: await problemOf(port) });
  if (problems.some(({ problem }) => problem === 'EACCES')) return null;
  const taken = problems.flatMap(({ port, problem }) => (problem === null ? [] : [port]));
  const [cause, first] =
    taken.length === 0
      ? [`${USUAL.http} and ${USUAL.https} were not free at the first start`, 'They are now: set']
      : taken.length === 1
        ? [`${taken[0]} is another program's`, 'Free it, set']
        : [`${taken.join(' and ')} are another program's`, 'Free them, set'];
  return {
    reason: `${cause}, so visitors arrive on ${ports.https} and ${ports.http}, and no certificate of Let's Encrypt can be had.`,
    todo: `${first} SALLYPORT_HTTP_PORT=${USUAL.http} and SALLYPORT_HTTPS_PORT=${USUAL.https}, and start the gateway again`,
    setting: `SALLYPORT_HTTP_PORT=${USUAL.http} SALLYPORT_HTTPS_PORT=${USUAL.https}`,
  };
}
