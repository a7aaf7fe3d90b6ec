import { tcpServiceDefaults } from '@sallyport/sdk/contract';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DesiredDomain, DesiredState, DesiredTcpService, RenderOptions } from './desiredState.ts';
import { renderNginx } from './nginx.ts';
import { ownerOf } from './configText.ts';
import { type Directive, parse } from '../../testing/nginxSyntax.ts';
import { domain as domainOf, hostileNumber, hostileText, renderOptions } from '../../testing/desiredStates.ts';

const options: RenderOptions = {
  ...renderOptions,
  layout: { ...renderOptions.layout, streamModule: '/modules/stream.so' },
  workers: 4,
};

const domain = (rest: Partial<DesiredDomain> = {}): DesiredDomain => domainOf(7, 'app.example.test', rest);
const service = (id: number, rest: Partial<DesiredTcpService> = {}): DesiredTcpService => ({
  ...tcpServiceDefaults,
  id,
  nodeId: 1,
  name: 'Service',
  port: 20_000 + id,
  enabled: true,
  addresses: ['127.0.0.1'],
  sourceAddress: null,
  closed: false,
  ...rest,
});
const stateOf = (tcpServices: DesiredTcpService[], domains = [domain()]): DesiredState => ({
  domains,
  httpServices: [],
  tcpServices,
});
const render = (services: DesiredTcpService[], domains?: DesiredDomain[], with_ = options) => {
  const { files, faults, owners } = renderNginx(stateOf(services, domains), with_);
  const textOf = (path: string): string => files.find((file) => file.path === path)?.text ?? '';
  return {
    main: parse(textOf('nginx.conf')),
    tcp: parse(textOf('tcp.conf')),
    text: textOf('tcp.conf'),
    faults,
    owners,
  };
};
const lines = (directives: Directive[] | null | undefined): string[] =>
  (directives ?? []).map(({ words }) => words.join(' '));
/** What stands in the blocks of that head. */
const inside = (directives: Directive[], head: string): string[][] =>
  directives.flatMap(({ words, block }) => (words.join(' ') === head ? [lines(block)] : []));
const serverOf = (rest: Partial<DesiredTcpService>, domains?: DesiredDomain[]): string[] =>
  inside(render([service(1, rest)], domains).tcp, 'server')[0] ?? [];

describe('a TCP service', () => {
  it('is listened for on all addresses, and leads to those of its backend', () => {
    const { tcp } = render([service(1, { addresses: ['127.0.0.1', '2001:db8::1'], backendPort: 5432 })]);
    expect(inside(tcp, 'server')).toEqual([
      [
        'listen 0.0.0.0:20001 so_keepalive=60s:15s:4',
        'listen [::]:20001 ipv6only=on so_keepalive=60s:15s:4',
        'proxy_pass 1.tcp',
      ],
    ]);
    expect(inside(tcp, 'upstream 1.tcp')).toEqual([['server 127.0.0.1:5432', 'server [2001:db8:0:0:0:0:0:1]:5432']]);
  });

  it('reaches its backend from the address that is given', () => {
    for (const proto of ['tcp', 'udp'] as const) {
      expect(serverOf({ proto, sourceAddress: '10.88.0.1' })).toContain('proxy_bind 10.88.0.1');
    }
  });

  it('has the certificate of its domain, else one of its own and never the console’s, when TLS ends there', () => {
    const own = serverOf({ ssl: true });
    expect(own[0]).toBe('listen 0.0.0.0:20001 ssl so_keepalive=60s:15s:4');
    expect(own).toContain('ssl_certificate "/data/services.pem"');
    expect(own.join()).not.toContain('/data/own');
    const ofDomain = serverOf({ ssl: true, domain: 'app.example.test' });
    expect(ofDomain).toContain('ssl_certificate "/data/7.pem"');
    expect(ofDomain).toContain('ssl_certificate_key "/data/7.key"');
    expect(serverOf({ domain: 'app.example.test' }).join()).not.toContain('ssl');
  });

  it('leads UDP to the first address, by IPv4 where there is one', () => {
    const peersOf = (addresses: string[]): string[][] =>
      inside(render([service(1, { proto: 'udp', addresses, backendPort: 53 })]).tcp, 'upstream 1.tcp');
    expect(peersOf(['2001:db8::1', '203.0.113.7', '203.0.113.8'])).toEqual([['server 203.0.113.7:53']]);
    expect(peersOf(['2001:db8::1', '2001:db8::2'])).toEqual([['server [2001:db8:0:0:0:0:0:1]:53']]);
  });

  it('has a socket in each worker for UDP, and forgets silent clients sooner', () => {
    expect(serverOf({ proto: 'udp' })).toEqual([
      'listen 0.0.0.0:20001 udp reuseport',
      'listen [::]:20001 ipv6only=on udp reuseport',
      'proxy_timeout 60s',
      'proxy_pass 1.tcp',
    ]);
  });

  it('lets a block win over the allow list, which shuts everybody else out', () => {
    const lists = { allowedIps: ['192.0.2.0/24', '2001:db8::/32'], blockedIps: ['192.0.2.7'] };
    expect(serverOf(lists).slice(2, -1)).toEqual([
      'deny 192.0.2.7',
      'allow 192.0.2.0/24',
      'allow 2001:db8:0:0:0:0:0:0/32',
      'deny all',
    ]);
  });

  it('is told in the log by its port, and so is its domain', () => {
    const { tcp, main } = render([service(1), service(2, { domain: 'app.example.test' })]);
    expect(inside(tcp, 'map $server_port $service_id')).toEqual([['20001 1', '20002 2']]);
    expect(inside(tcp, 'map $server_port $domain_id')).toEqual([['20002 7']]);
    const [stream] = inside(main, 'stream');
    expect(stream?.find((line) => line.startsWith('access_log'))).toContain('/data/logs/');
  });

  it.each([
    ['disabled', { enabled: false }],
    ['closed', { closed: true }],
  ])('is listened for by no one while it is %s', (_, rest) => {
    const { text, main, faults } = render([service(1, rest)]);
    expect({ text, faults }).toEqual({ text: '', faults: [] });
    // No module is needed, then: one that is damaged keeps no one from being served.
    expect(lines(main).join()).not.toMatch(/load_module|stream/);
  });

  it.each([
    ['TLS over UDP', { proto: 'udp', ssl: true }, /TLS cannot be ended for UDP/, true],
    ['a port of the gateway itself', { port: 443 }, /Port 443 is used by the gateway itself/, true],
    ['no address', { addresses: [] }, /address of the backend is not known/, true],
    ['a damaged list', { allowedIps: 'everybody' as never }, /list .* is damaged/, true],
    ['TLS of a domain that is not there', { ssl: true, domain: 'gone.test' }, /certificate of its domain/, false],
  ] as const)('is left out, with a reason, when it has %s', (_, rest, reason, own) => {
    const { tcp, faults } = render([service(1, rest), service(2)]);
    expect(faults).toEqual([{ kind: 'tcpService', id: 1, reason: expect.stringMatching(reason), own }]);
    expect(inside(tcp, 'server')).toHaveLength(1);
  });

  it('is closed with its domain when it needs its certificate, and only then', () => {
    const closed = [domain({ closed: true, certificate: { certificate: '', key: '' } })];
    const named = { domain: 'app.example.test' };
    const { tcp, faults } = render([service(1, { ...named, ssl: true }), service(2, named)], closed);
    expect(faults.map(({ id, own }) => [id, own])).toEqual([[1, false]]);
    expect(inside(tcp, 'upstream 2.tcp')).toHaveLength(1);
  });
});

describe('all of them together', () => {
  it('need the module, and room for the sockets next to the connections', () => {
    const connections = (services: DesiredTcpService[]): number =>
      Number(/worker_connections (\d+)/.exec(inside(render(services).main, 'events').join())?.[1]);
    const { main } = render([service(1)]);
    expect(lines(main)[0]).toBe('load_module "/modules/stream.so"');
    const none = connections([]);
    // Two addresses; for UDP one socket in each of four workers.
    expect(connections([service(1), service(2, { proto: 'udp' })])).toBe(none + 2 + 8);
    const builtIn = { ...options, layout: { ...options.layout, streamModule: null, hasHalfClose: false } };
    const old = render([service(1)], undefined, builtIn).main;
    expect(lines(old).join()).not.toContain('load_module');
    expect(inside(old, 'stream').join()).not.toContain('half_close');
  });

  it('leave room for others: each port, the ports of a node, its UDP ports, all for UDP, and all ports', () => {
    const { main, tcp } = render([service(1), service(2, { nodeId: 5, proto: 'udp' })], undefined, {
      ...options,
      connections: 1600,
    });
    const limits = inside(main, 'stream')[0]?.filter((line) => line.startsWith('limit_conn'));
    expect(limits).toEqual([
      'limit_conn_zone $pid:$server_port zone=port:4m',
      'limit_conn port 200',
      'limit_conn_zone $pid:$node_id zone=node:4m',
      'limit_conn node 300',
      'limit_conn_zone $udp_worker zone=udp:4m',
      'limit_conn udp 200',
      'limit_conn_zone $udp_node zone=udp_node:4m',
      'limit_conn udp_node 150',
      'limit_conn_zone $pid zone=ports:4m',
      'limit_conn ports 400',
    ]);
    expect(inside(tcp, 'map $server_port $node_id')).toEqual([['20001 1', '20002 5']]);
  });

  it('leave the machine ports for UDP of its own, however many workers there are', () => {
    const { main } = render([service(2, { proto: 'udp' })], undefined, {
      ...options,
      connections: 16_384,
      workers: 32,
    });
    expect(inside(main, 'stream')[0]).toEqual(
      expect.arrayContaining(['limit_conn udp 512', 'limit_conn udp_node 256']),
    );
  });

  it('are told by their lines and by their addresses when nginx refuses them', () => {
    const { owners, text } = render([service(1), service(2, { blockedIps: ['999.1.1.1'] })]);
    const line = text.split('\n').findIndex((each) => each.includes('deny')) + 1;
    expect(ownerOf(owners, { file: 'tcp.conf', line })).toEqual({ kind: 'tcpService', id: 2 });
    expect(ownerOf(owners, { address: '0.0.0.0:20001' })).toEqual({ kind: 'tcpService', id: 1 });
    expect(ownerOf(owners, { address: '[::]:20002' })).toEqual({ kind: 'tcpService', id: 2 });
    expect(ownerOf(owners, { address: '0.0.0.0:443' })).toBeNull();
  });
});

describe('hostile values', () => {
  const nasty = hostileText as fc.Arbitrary<never>;
  const number = hostileNumber as fc.Arbitrary<never>;
  const KNOWN = 'upstream server listen ssl_certificate ssl_certificate_key proxy_timeout allow deny proxy_pass'.split(
    ' ',
  );

  it('never change what the configuration consists of', () => {
    const hostile = fc.record(
      {
        id: number,
        nodeId: number,
        port: number,
        proto: nasty,
        ssl: nasty,
        domain: nasty,
        name: nasty,
        backendPort: number,
        addresses: fc.array(nasty, { maxLength: 2 }),
        allowedIps: fc.option(fc.oneof(nasty, fc.array(nasty, { maxLength: 3 })) as fc.Arbitrary<never>),
        blockedIps: fc.option(fc.array(nasty, { maxLength: 3 })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(hostile, (values) => {
        const { tcp } = render([service(1, values), service(900)]);
        const maps = tcp.filter(({ words }) => words[0] === 'map');
        for (const entry of maps.flatMap(({ block }) => lines(block))) expect(entry).toMatch(/^\d+ \d+$/);
        for (const { words, block } of tcp.filter((each) => !maps.includes(each))) {
          expect(KNOWN).toContain(words[0]);
          for (const inner of block ?? []) {
            expect(KNOWN).toContain(inner.words[0]);
            expect(inner.words.join(' ')).not.toMatch(/[$'\\;{}]/);
          }
        }
        expect(inside(tcp, 'upstream 900.tcp')).toEqual([['server 127.0.0.1:1883']]);
      }),
      { numRuns: 400 },
    );
  });
});
