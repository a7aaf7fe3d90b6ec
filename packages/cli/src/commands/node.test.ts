import { nodeQuery } from '@sallyport/sdk/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { createShell } from '../testing/shell.ts';
import { signedIn } from '../testing/signedIn.ts';

let at: Awaited<ReturnType<typeof signedIn>>;
let gateway: typeof at.gateway;
let shell: typeof at.shell;
let ids: typeof at.ids;

beforeEach(async () => {
  at = await signedIn();
  ({ gateway, shell, ids } = at);
  gateway.world.setNodeRuntime(ids.edgeId, {
    status: 'online',
    latestHandshakeTimestamp: gateway.clock.now().getTime() - 120_000,
    transferRx: 1536,
    transferTx: 100,
  });
});

describe('node list', () => {
  it('is a table on a terminal', async () => {
    const { code, out, err } = await shell.run(['node', 'list', '--no-color'], { terminal: true });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      [
        'ID  NAME   TYPE     STATUS   ADDRESS    LAST HANDSHAKE  RECEIVED       SENT',
        ' 1  Local  local    -        127.0.0.1  -                      -          -',
        ' 2  edge   node     online   10.88.0.2  2 minutes ago    1.50 KB  100 Bytes',
        ' 3  site   gateway  waiting  10.88.0.3  never                  -          -',
        '',
      ].join('\n'),
    );
  });

  it('is lines of exact values between tabs when piped', async () => {
    const { code, out } = await shell.run(['node', 'list']);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        '1\tLocal\tlocal\t-\t127.0.0.1\t\t\t',
        '2\tedge\tnode\tonline\t10.88.0.2\t2026-11-21T11:58:00.000Z\t1536\t100',
        '3\tsite\tgateway\toffline\t10.88.0.3\t\t\t',
        '',
      ].join('\n'),
    );
  });

  it('is a document with a version as JSON', async () => {
    const { out } = await shell.run(['node', 'list', '--json', '--limit', '2', '--page', '2'], { terminal: true });
    expect(JSON.parse(out)).toEqual({
      version: 1,
      data: [expect.objectContaining({ id: ids.siteId, name: 'site', isGateway: true, status: 'offline' })],
      page: 2,
      limit: 2,
      total: 3,
    });
  });

  it('colours the status on a terminal that shows colours', async () => {
    const ansi = (env: Record<string, string>, terminal = true) =>
      shell.run(['node', 'list'], { terminal, env }).then(({ out }) => out.includes('\x1b[32monline\x1b[39m'));
    expect(await ansi({})).toBe(true);
    expect(await ansi({ NO_COLOR: '1' })).toBe(false);
    expect(await ansi({ TERM: 'dumb' })).toBe(false);
    expect(await ansi({}, false)).toBe(false);
    expect(await ansi({ FORCE_COLOR: '1' }, false)).toBe(false);
  });

  it.each([
    [['--type', 'gateways'], ['site']],
    [['--search', 'edg'], ['edge']],
    [
      ['--order-by', 'name,desc', '--limit', '2'],
      ['Local', 'site'],
    ],
    [['--search', 'nothing'], []],
  ])('lets the gateway choose by %j', async (more, names) => {
    const { code, out } = await shell.run(['node', 'list', ...more]);
    expect(code).toBe(0);
    const rows = out.split('\n').filter(Boolean);
    expect(rows.map((line) => line.split('\t')[1])).toEqual(names);
  });

  it('has a flag for each field of the query', async () => {
    const { out } = await shell.run(['node', 'list', '--help']);
    for (const key of Object.keys(nodeQuery.shape)) {
      expect(out).toContain(`--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <`);
    }
  });

  it('says on standard error that there are more, or none; nothing with --quiet', async () => {
    expect((await shell.run(['node', 'list', '--limit', '2'])).err).toBe('Page 1: 2 of 3 nodes.\n');
    expect((await shell.run(['node', 'list', '--search', 'nothing'])).err).toBe('There are no such nodes.\n');
    expect((await shell.run(['node', 'list', '--limit', '2', '--quiet'])).err).toBe('');
  });

  it('names the request when the gateway fails', async () => {
    const broken = createShell(
      async () => Response.json({ status: 'error', message: 'It broke', requestId: 'r-17' }, { status: 500 }),
      gateway.clock.now,
    );
    const { code, err } = await broken.run(['node', 'list'], { env: { SALLYPORT_CONFIG_DIR: shell.configDirectory } });
    expect(code).toBe(1);
    expect(err).toBe("sallyport: It broke (request r-17 in the gateway's log).\n");
  });
});

describe('node list --watch', () => {
  const changed = () => gateway.world.setNodeRuntime(ids.siteId, { status: 'idle' });

  it('prints each new list when piped', async () => {
    const stop = new AbortController();
    const { code, out } = await shell.run(['node', 'list', '--watch'], {
      signal: stop.signal,
      onOutput: (text) => {
        const lists = text.split('\n\n').length - 1;
        if (lists === 1) changed();
        if (lists === 2) stop.abort();
      },
    });
    expect(code).toBe(130);
    const status = (list: string | undefined) => list?.split('\n')[2]?.split('\t')[3];
    expect(out.split('\n\n').map(status)).toEqual(['offline', 'idle', undefined]);
  });

  it('prints a document a line as JSON', async () => {
    const stop = new AbortController();
    const { out } = await shell.run(['node', 'list', '--watch', '--json'], {
      signal: stop.signal,
      onOutput: (text) => (text.split('\n').length === 2 ? changed() : stop.abort()),
    });
    const documents = out.trim().split('\n');
    const states = documents.map((line) => JSON.parse(line)).map(({ version, data }) => `${version} ${data[2].status}`);
    expect(states).toEqual(['1 offline', '1 idle']);
  });
});
