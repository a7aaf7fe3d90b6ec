import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { type Client, isApiError } from '@sallyport/sdk';
import { formatCount, formatRelative } from '@sallyport/sdk/format';
import { featureLabels } from '@sallyport/sdk/contract';
import { isWaiting } from '@sallyport/sdk/rules';
import type { Context } from '../context.ts';
import { shownCertificate } from '../certificatePin.ts';
import { reportSlow } from '../io.ts';
import { sentence } from '../failure.ts';

/** The gateway that is looked at. */
export type Target = {
  url: string;
  pin: string | null;
  client: Client;
  /** The command that trusts it and signs in to it. */
  signIn: string;
};

/** A session with the gateway; without one, no one is signed in. */
type Session = { isSignedIn: boolean; expiresAt: string | null };

const CONNECT_MS = 5000;
const DAY_MS = 86_400_000;
const CERTIFICATE_WARNING_DAYS = 14;
const CLOCK_TOLERANCE_MS = 30_000;
const NAMES_SHOWN = 5;

const hostOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** Takes the steps in their order. One whose ground is missing is skipped. */
export async function* examine(signal: AbortSignal, steps: readonly Step[]): AsyncGenerator<Finding> {
  const bad = new Set<string>();
  for (const { name, needs, work } of steps) {
    signal.throwIfAborted();
    const lacks = needs !== null && bad.has(needs);
    const found = lacks
      ? skipped(`not looked at: ${needs} comes first`)
      : await unless(signal, work()).catch((error: unknown) => {
          signal.throwIfAborted();
          return failed(reasonOf(error), 'sallyport doctor --json');
        });
    const results = [found].flat();
    if (lacks || results.some(({ state }) => state === 'failed')) bad.add(name);
    for (const result of results) yield { step: name, ...result };
  }
}

/** What comes of a step, unless the run is interrupted meanwhile. */
async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const aborted = once(signal, 'abort', { signal: done.signal }).then(() => {
    throw signal.reason;
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    aborted.catch(() => undefined);
    done.abort();
  }
}

/** From the name of the gateway to its clock. `prefix` tells two gateways apart. */
export function gatewaySteps(context: Context, patient: Target, prefix = ''): Step[] {
  const step = (name: string, needs: string | null, work: Step['work']): Step => ({
    name: `${prefix}${name}`,
    needs: needs === null ? null : `${prefix}${needs}`,
    work,
  });
  const told = (name: string, needs: string | null, work: Step['work']) =>
    step(name, needs, () => reportSlow(context.io.say, `Looking at the ${name} …`, work()));
  return [
    told('dns', null, () => dns(patient)),
    told('port', 'dns', () => port(patient)),
    told('certificate', 'port', () => certificate(context, patient)),
    // Anyone who asks the gateway tells of it by itself.
    step('gateway', 'certificate', () => gateway(patient)),
    step('clock', 'gateway', () => clock(context, patient)),
  ];
}

/** From an operator's session to the backends of all services. */
export function operatorSteps(context: Context, patient: Target, session: Session): Step[] {
  return [
    { name: 'token', needs: 'gateway', work: () => token(context, patient, session) },
    { name: 'parts', needs: 'token', work: () => parts(patient) },
    { name: 'tunnel', needs: 'token', work: () => tunnel(patient) },
    { name: 'backend', needs: 'token', work: () => backend(patient) },
    { name: 'backup', needs: 'token', work: () => backup(context, patient) },
  ];
}

async function dns({ url }: Target): Promise<Result> {
  const host = hostOf(url);
  if (isIP(host)) return ok(`${host} is an address`);
  try {
    const addresses = await lookup(host, { all: true });
    return ok(`${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch {
    return failed(`${host} has no address`, 'check the name, or enter it in your DNS; then sallyport doctor');
  }
}

function port({ url }: Target): Promise<Result> {
  const { port: given, protocol } = new URL(url);
  const number = Number(given || (protocol === 'https:' ? 443 : 80));
  return new Promise((resolve) => {
    const socket = connect({ host: hostOf(url), port: number, timeout: CONNECT_MS });
    const end = (result: Result) => {
      socket.destroy();
      resolve(result);
    };
    const fix = `on the gateway's machine: sudo sallyport-gateway check; is port ${number} open in its firewall, and is ${url} still its address? If not, on each host: sudo sallyport connect --url NEW-URL`;
    socket.once('connect', () => end(ok(`port ${number} is open`)));
    socket.once('timeout', () => end(failed(`port ${number} does not answer`, fix)));
    socket.once('error', (error) => end(failed(`port ${number} is closed (${reasonOf(error)})`, fix)));
  });
}

async function certificate({ now, signal }: Context, { url, pin, signIn }: Target): Promise<Result> {
  if (!url.startsWith('https:')) return ok('plain HTTP has none');
  const { fingerprint, keyPin, refused, validUntil } = await shownCertificate(url, signal);
  if (pin !== null) {
    return pin === keyPin || pin === fingerprint
      ? ok('it is the one that was trusted at sign-in')
      : failed(
          'it is not the one that was trusted at sign-in',
          `${signIn} --pin FINGERPRINT, if the gateway has a new one`,
        );
  }
  if (refused !== null) return failed(`this machine does not trust it (${refused})`, signIn);
  const days = Math.floor((validUntil.getTime() - now().getTime()) / DAY_MS);
  if (days < CERTIFICATE_WARNING_DAYS)
    return warning(`it ends in ${formatCount(days, 'day')}`, 'renew it on the gateway');
  return ok(`trusted, until ${validUntil.toISOString().slice(0, 10)}`);
}

async function gateway({ client }: Target): Promise<Result> {
  try {
    const { status, ingress } = await client.system.health();
    return status === 'ok'
      ? ok('it works, and so does its ingress')
      : failed(`its ingress is ${ingress}`, "read the gateway's log");
  } catch (error) {
    if (isApiError(error, 'server')) return failed('it says that its ingress does not work', "read the gateway's log");
    return failed(reasonOf(error), 'check the address');
  }
}

async function clock(context: Context, { url, pin }: Target): Promise<Result> {
  let date: string | null = null;
  const read = async (reply: Response) => {
    date = reply.headers.get('date');
    await reply.body?.cancel();
  };
  await context.request({ method: 'GET', path: '/healthz' }, read, { url, pin });
  if (date === null) return skipped('the gateway does not say what time it is');
  const ms = Math.abs(Date.parse(date) - context.now().getTime());
  return ms <= CLOCK_TOLERANCE_MS
    ? ok('both clocks agree')
    : warning(`the clocks are ${Math.round(ms / 1000)} s apart`, 'set the clock: timedatectl set-ntp true');
}

async function token(
  { now }: Context,
  { client, signIn }: Target,
  { isSignedIn, expiresAt }: Session,
): Promise<Result> {
  if (!isSignedIn) return failed('no one is signed in', signIn);
  if (expiresAt !== null && Date.parse(expiresAt) <= now().getTime()) return failed('the session has ended', signIn);
  try {
    const { name } = await client.session.me();
    return ok(`accepted${name === undefined ? '' : `, for ${name}`}${expiresAt === null ? '' : ` until ${expiresAt}`}`);
  } catch (error) {
    return failed(isApiError(error, 'unauthorized') ? 'the gateway refuses it' : reasonOf(error), signIn);
  }
}

async function parts({ client }: Target): Promise<readonly Result[]> {
  const { unavailable } = await client.system.config();
  if (unavailable.length === 0) return [ok('every part of the gateway runs')];
  return unavailable.map(({ feature, reason, fix }) => {
    // A gateway may go without it, and most do.
    const result = feature === 'visitorSignIn' ? skipped : warning;
    return result(sentence(`${featureLabels[feature]}: ${reason}`), sentence(fix));
  });
}

async function tunnel({ client }: Target): Promise<Result> {
  const [{ data }, { unavailable }] = await Promise.all([client.node.list(), client.system.config()]);
  const remote = data.filter(({ isLocal, enabled }) => !isLocal && enabled);
  const turnedOff = unavailable.find(({ feature }) => feature === 'tunnel');
  if (turnedOff && remote.length > 0) {
    return failed(
      sentence(`no node can connect, as the gateway's tunnel is off: ${turnedOff.reason}`),
      sentence(turnedOff.fix),
    );
  }
  const are = remote.length === 1 ? 'is' : 'are';
  const [waiting, joined] = [remote.filter(isWaiting), remote.filter((node) => !isWaiting(node))];
  const away = joined.filter(({ status }) => status === 'offline');
  if (away.length === 0) {
    const idle = joined.filter(({ status }) => status === 'idle');
    const rest = [
      idle.length > 0 && `; idle, as nothing came from them lately: ${some(idle.map(({ name }) => name))}`,
      waiting.length > 0 && `; no host has joined yet as ${some(waiting.map(({ name }) => name))}`,
    ].filter((each) => each !== false);
    return ok(`${joined.length - idle.length} of ${formatCount(remote.length, 'node')} ${are} online${rest.join('')}`);
  }
  return failed(
    `${away.length} of ${formatCount(remote.length, 'node')} ${are} offline: ${some(away.map(({ name }) => name))}`,
    'on that host: sallyport status, then sallyport connect',
  );
}

async function backend({ client }: Target): Promise<Result> {
  const [http, tcp] = await Promise.all([client.httpService.listAll(), client.tcpService.listAll()]);
  // No backend is asked for the console and for UDP.
  const others = http.data.filter(({ builtin, problem }) => !builtin || problem !== null);
  const open = [...others, ...tcp.data].filter(({ enabled }) => enabled);
  const checked = open.filter(({ health, problem }) => health !== 'unknown' || problem !== null);
  const down = checked.filter(({ health, problem }) => health === 'down' || problem !== null);
  if (down.length === 0)
    return ok(
      `${checked.length} of ${formatCount(checked.length, 'checked service')} ${checked.length === 1 ? 'has' : 'have'} a backend`,
    );
  const [first] = down;
  return failed(
    `${down.length} of ${formatCount(checked.length, 'checked service')} ${checked.length === 1 ? 'fails' : 'fail'}: ${some(down.map(({ name, problem, healthReason }) => `${name} (${problem ?? healthReason ?? 'no answer'})`))}`,
    `sallyport service show ${first?.id ?? 'ID'}`,
  );
}

async function backup({ now }: Context, { client }: Target): Promise<Result> {
  try {
    const { last } = await client.system.backup();
    if (last === null) return ok('none was made with sallyport-gateway backup');
    const text = `the last one was made ${formatRelative(last.at, now())}${last.file === null ? '' : `, ${last.file}`}`;
    return last.isOld ? warning(text, "on the gateway's machine: sudo sallyport-gateway backup FILE") : ok(text);
  } catch (error) {
    if (isApiError(error, 'unauthorized')) return skipped('only the administrator is told');
    throw error;
  }
}

const some = (names: readonly string[]) =>
  `${names.slice(0, NAMES_SHOWN).join(', ')}${names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ''}`;

/** What one step found, and the command or setting that fixes it. */
export type Finding = {
  step: string;
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  finding: string;
  fix: string | null;
};

/** The same before it is known of which step it is. */
export type Result = Omit<Finding, 'step'>;

/** One step of an examination. It is skipped unless the one that it `needs` went well. */
export type Step = { name: string; needs: string | null; work: () => Promise<Result | readonly Result[]> };

export const ok = (finding: string): Result => ({ state: 'ok', finding, fix: null });
export const warning = (finding: string, fix: string): Result => ({ state: 'warning', finding, fix });
export const failed = (finding: string, fix: string): Result => ({ state: 'failed', finding, fix });
export const skipped = (finding: string, fix: string | null = null): Result => ({ state: 'skipped', finding, fix });
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
