import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeMachine } from '../testing/fakeMachine.ts';
import { testHost } from '../testing/testHost.ts';

const SETTING = 'net/ipv4/conf/sallyport/route_localnet';

let at: Awaited<ReturnType<typeof testHost>>;
let machine: FakeMachine;

/** A host that joined as `web-1`, with a server on its loopback address. */
beforeEach(async () => {
  at = await testHost();
  ({ machine } = at);
  expect((await at.login()).code).toBe(0);
  machine.listens = ['tcp 127.0.0.1:8080', 'tcp 127.0.0.1:5432', 'tcp *:8081', 'tcp [::1]:8082', 'tcp 192.0.2.7:8083'];
});

const rules = () => machine.ran.findLast((line) => line.startsWith('nft table')) ?? '';
const expose = (port: number, ...more: string[]) =>
  at.run(['http', `web${port}`, '--port', String(port), '--path', `/${port}`, ...more]);
const update = (change: object) => at.gateway.store.write((tx) => tx.nodes.update(2, change));

describe('a port that is exposed', () => {
  it('on 127.0.0.1 alone is forwarded before the gateway is told, and kept as agreed', async () => {
    let before = '';
    at.answer = async (request) => {
      if (request.method === 'POST') before = rules();
      return at.gateway.fetch(request);
    };
    const { code, err, out } = await expose(8080, '--json');
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining(
        "listens on 127.0.0.1 only; this host forwards the gateway's connections to it.",
      ) as string,
    });
    expect(JSON.parse(out)).toMatchObject({ backend: { state: 'forwarded', listens: ['127.0.0.1'] } });
    expect(before).toContain('ip saddr 10.88.0.1 ip daddr 10.88.0.2 tcp dport { 8080 } dnat to 127.0.0.1;');
    expect(machine.settings.get(SETTING)).toBe('1');
    expect(at.stored().allowLoopback).toEqual(['tcp/8080']);
  });

  it.each([
    [8081, 'reachable', 'listens on *, where the gateway reaches it.'],
    [8082, 'unreachable', 'listens on ::1 only, where the gateway does not reach it. Have it listen on 127.0.0.1 or'],
    [8083, 'unreachable', 'listens on 192.0.2.7 only, where the gateway does not reach it.'],
    [
      8084,
      'none',
      'Nothing listens on port 8084 of this host yet. Start the server, or run the command again with the right --port: `ss -ltn`',
    ],
  ])('%i, which is %s, says what listens where', async (port, state, sentence) => {
    const { code, err, out } = await expose(port, '--json');
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(sentence) as string });
    expect(JSON.parse(out).backend.state).toBe(state);
    expect(rules().includes(String(port))).toBe(state !== 'reachable');
  });

  it('of UDP is looked for among those of UDP', async () => {
    const { err } = await at.run(['tcp', 'game', '--port', '8081', '--proto', 'udp']);
    expect(err).toContain('Nothing listens on port 8081 of this host yet.');
    expect(err).toContain('`ss -lun` lists');
  });

  it('without nftables says what to install, and changes no setting', async () => {
    machine.missing.add('nft');
    const { code, err } = await expose(8080);
    expect(code).toBe(0);
    expect(err).toContain(
      'listens on 127.0.0.1 only, where the gateway does not reach it, and it is not forwarded: nftables is not installed. Run `apt-get install nftables` as root. Or have it listen on every address.\n',
    );
    expect(err).not.toContain('Nothing answers behind it yet');
    expect(machine.settings.has(SETTING)).toBe(false);
  });

  it('is not forwarded for a gateway node, whose services lead to its network', async () => {
    await update({ isGateway: true, gatewayNetworks: [{ interface: 'eth0', subnet: '192.0.2.0/24' }] });
    expect((await expose(8080, '--backend-host', '192.0.2.20')).code).toBe(0);
    expect(rules()).toBe('');
    expect(at.stored().allowLoopback).toEqual([]);
  });

  it('is forwarded no more when the gateway refuses its service', async () => {
    at.answer = async (request) => {
      if (request.method !== 'POST') return at.gateway.fetch(request);
      return Response.json({ message: 'No.' }, { status: 400 });
    };
    expect((await expose(8080)).code).toBe(1);
    expect(machine.settings.get(SETTING)).toBe('0');
    expect(machine.ran.at(-1)).toBe('nft delete table ip sallyport_loopback_sallyport');
    expect(at.stored().allowLoopback).toEqual([]);
  });

  it('is agreed to by a command that names it, not by one that leaves it to the gateway', async () => {
    await at.gateway.fetch(`/api/services/2/http`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await at.gateway.signIn()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'db', pathLocation: '/db', backendPort: 5432 }),
    });
    const { err } = await at.run(['http', 'db']);
    expect(err).toContain('it is not forwarded: no command on this host has named it; `--port 5432` does.');
    await expose(8080);
    expect(rules()).toContain('{ 8080 }');
    await at.run(['http', 'db', '--port', '5432']);
    expect(rules()).toContain('{ 8080, 5432 }');
  });
});

it('ends with `disable`, begins again with `enable`, and is gone after `disconnect`', async () => {
  await expose(8080);
  await at.run(['disable', 'http', 'web8080']);
  expect(machine.settings.get(SETTING)).toBe('0');
  await at.run(['enable', 'http', 'web8080']);
  expect(machine.settings.get(SETTING)).toBe('1');
  await at.run(['disconnect']);
  expect(machine.ran.slice(-3).filter((line) => line.startsWith('nft'))).toEqual([
    'nft delete table ip sallyport_loopback_sallyport',
  ]);
  machine.ran.length = 0;
  await at.run(['connect']);
  expect(rules()).toContain('{ 8080 }');
});

describe('the status of a host', () => {
  const addService = async (name: string, backendPort: number) =>
    at.gateway.fetch(`/api/services/2/http`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await at.gateway.signIn()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, pathLocation: `/${backendPort}`, backendPort }),
    });

  it('names what is forwarded to the loopback address, and what is refused with the command that allows it', async () => {
    await expose(8080);
    await expose(8081);
    await addService('db', 5432);
    const { out } = await at.run(['status']);
    expect(out).toContain('Forwarded: tcp/8080 (web8080) to 127.0.0.1\n');
    expect(out).toContain(
      'Refused:   tcp/5432 (db) listens on 127.0.0.1 alone; if visitors are meant to reach it: sudo sallyport http db --port 5432\n',
    );
    expect(JSON.parse((await at.run(['status', '--json'])).out).loopback).toEqual([
      { type: 'http', name: 'web8080', proto: 'tcp', port: 8080, forwarded: true, command: null },
      {
        type: 'http',
        name: 'db',
        proto: 'tcp',
        port: 5432,
        forwarded: false,
        command: 'sudo sallyport http db --port 5432',
      },
    ]);
  });

  it('goes by the rules that are there: without them nothing is forwarded', async () => {
    await expose(8080);
    machine.settings.set(SETTING, '0');
    const { out } = await at.run(['status', '--json']);
    expect(JSON.parse(out).loopback).toMatchObject([{ port: 8080, forwarded: false }]);
  });
});
