import { createTestGateway } from '@sallyport/gateway/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ENTRIES } from './entries.ts';
import { createFakeMachine } from './testing/fakeMachine.ts';
import { ADMIN_ENV, createShell } from './testing/shell.ts';

/** Sets a title, clears the screen, begins a line of its own, turns text around, and one control of C1. */
const HOSTILE = 'x\x1b]0;pwn\x07\x1b[2J\r\nFORGED \u202eevil\u009b1m';
/** Fields of what the gateway answers that hold words of other people. */
const WORDS = new Set([
  'name',
  'problem',
  'healthReason',
  'message',
  'publicAccess',
  'username',
  'warning',
  'address',
  'prefix',
  'command',
  'token',
  'code',
]);

/** What a terminal could obey, and a line that only the gateway can have written. */
const OBEYED = /(?![\t\n])\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]|^FORGED/mu;

/** The words of every command, so that each asks the gateway; ids are those of the gateway's seed, and what deletes, or ends a session, comes last. */
const LINES: Record<string, string[]> = {
  join: ['join --code-file /nonexistent'],
  config: ['config --token-file /nonexistent'],
  status: ['status', 'status --health'],
  http: ['http shop --port 80'],
  tcp: ['tcp shop --port 80'],
  enable: ['enable http 1', 'enable tcp shop'],
  disable: ['disable http 1', 'disable tcp shop'],
  gateway: ['gateway --subnet 192.0.2.0/24'],
  'service install': ['service install'],
  'service uninstall': ['service uninstall'],
  'service status': ['service status'],
  'service run': ['service run'],
  'profile list': ['profile list'],
  'node list': ['node list'],
  'node show': ['node show 2', 'node show nothing'],
  'node create': ['node create attic'],
  'node edit': ['node edit 2 --keepalive 25'],
  'node enable': ['node enable 2'],
  'node disable': ['node disable 2'],
  'node config': ['node config 2', 'node config 2 --output /nonexistent/x'],
  'domain list': ['domain list'],
  'domain show': ['domain show 1', 'domain show nothing.test'],
  'domain dns': ['domain dns 1', 'domain dns nothing.test'],
  'domain create': ['domain create new.example.test'],
  'domain edit': ['domain edit 1 --no-validation'],
  'domain delete': ['domain delete 1 --yes', 'domain delete 1'],
  'service list': ['service list'],
  'service show': ['service show web', 'service show nothing'],
  'service create http': ['service create http web --node 2 --backend-port 80'],
  'service create tcp': ['service create tcp ssh --node 2 --backend-port 22'],
  'service edit': ['service edit 1 --type http --backend-port 81', 'service edit nothing --backend-port 81'],
  'service enable': ['service enable 1 --type http'],
  'service disable': ['service disable 1 --type http'],
  'token list': ['token list --node 2', 'token list --node nothing'],
  'token show': ['token show 1 --node 2', 'token show nothing --node 2'],
  'token create': ['token create ci --node 2'],
  'token revoke': ['token revoke 1 --node 2 --yes', 'token revoke 1 --node 2'],
  'token delete': ['token delete 1 --node 2 --yes', 'token delete 1 --node 2'],
  'join-key list': ['join-key list'],
  'join-key create': ['join-key create racks'],
  'join-key delete': ['join-key delete 1 --yes', 'join-key delete nothing --yes'],
  'api-token list': ['api-token list'],
  'api-token create': ['api-token create ci --scope nodes:read --node 2'],
  'api-token delete': ['api-token delete 1 --yes', 'api-token delete nothing --yes'],
  'session list': ['session list'],
  'session end': ['session end 1 --yes', 'session end --others'],
  password: ['password --new-password-stdin', 'password'],
  logs: ['logs --service web --lines 5', 'logs --service nothing'],
  top: ['top'],
  doctor: ['doctor'],
  open: ['open web', 'open nothing'],
  api: ['api GET /api/nodes'],
  completion: ['completion bash'],
  'service delete': ['service delete 1 --type http --yes', 'service delete 1 --type http'],
  'node delete': ['node delete 2 --yes', 'node delete 2'],
  login: ['login --force --name other', 'login --operator'],
  connect: ['connect'],
  regenerate: ['regenerate --force'],
  disconnect: ['disconnect'],
  logout: ['logout'],
};

/** The gateway's answer with every word of other people hostile and everything disabled; or a refusal that is hostile altogether. */
async function hostileAnswer(reply: Response, status: number): Promise<Response> {
  if (status !== 200) {
    const refusal = { message: HOSTILE, errors: { [HOSTILE]: [HOSTILE] }, requestId: HOSTILE };
    return Response.json(refusal, { status, headers: { 'x-request-id': 'x' } });
  }
  const { headers } = reply;
  // A file is of lines.
  const inFile = HOSTILE.replaceAll('\n', '');
  if (headers.has('content-disposition')) return new Response(`${await reply.text()}${inFile}`, { status, headers });
  if (headers.get('content-type')?.startsWith('application/json') !== true) return reply;
  const text = await reply.text();
  const spoilt = JSON.parse(text, (key, value: unknown) => {
    if (key === 'enabled' && value === true) return false;
    return WORDS.has(key) && (typeof value === 'string' || value === null) ? `${String(value)}${HOSTILE}` : value;
  });
  return Response.json(spoilt, { status: reply.status, headers: { etag: reply.headers.get('etag') ?? '"1"' } });
}

it.each([200, 401, 404, 409, 422, 500])('what a hostile gateway says with %d controls no terminal', async (status) => {
  expect(Object.keys(LINES).toSorted()).toEqual(ENTRIES.map(({ path }) => path.join(' ')).toSorted());
  const gateway = await createTestGateway();
  onTestFinished(() => gateway.stop());
  await gateway.seed();
  let isHostile = false;
  const machine = createFakeMachine(gateway.clock.now);
  const shell = createShell(
    async (request) => {
      const reply = await gateway.fetch(request);
      return isHostile ? hostileAnswer(reply, status) : reply;
    },
    gateway.clock.now,
    machine,
  );
  const env = { ...ADMIN_ENV, SALLYPORT_URL: 'http://127.0.0.1:1' };
  expect((await shell.run(['login'], { env })).code).toBe(0);
  expect((await shell.run(['login', '--operator'], { env })).code).toBe(0);
  isHostile = true;
  const obeyed: string[] = [];
  for (const line of Object.values(LINES).flat()) {
    // What keeps a host connected goes on until it is stopped; one look is enough.
    const stop = new AbortController();
    const onError = () => stop.abort();
    const options = line === 'service run' ? { signal: stop.signal, onError } : {};
    const { out, err } = await shell.run([...line.split(' '), '--no-input'], { env, ...options });
    // These give programs what came, byte by byte.
    const shown = /^(?:api|completion) /.test(line) ? err : `${out}${err}`;
    if (OBEYED.test(shown)) obeyed.push(`${line}: ${JSON.stringify(shown)}`);
  }
  expect(obeyed).toEqual([]);
});
