import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DesiredHttpService, DesiredState } from './desiredState.ts';
import { renderNginx } from './nginx.ts';
import {
  consoleService,
  domain,
  hostileNumber,
  hostileText,
  renderOptions as options,
  service,
  stateOf,
} from '../../testing/desiredStates.ts';
import { type Directive, parse } from '../../testing/nginxSyntax.ts';

const fileOf = (state: DesiredState, path: string, with_ = options): Directive[] => {
  const file = renderNginx(state, with_).files.find((candidate) => candidate.path === path);
  if (file === undefined) throw new Error(`${path} was not rendered`);
  return parse(file.text);
};
const blocks = (directives: Directive[], head: string): Directive[][] =>
  directives.flatMap(({ words, block }) => (words.join(' ') === head && block !== null ? [block] : []));
const only = (directives: Directive[], head: string): string[] => {
  const [block, ...others] = blocks(directives, head);
  if (block === undefined || others.length > 0) throw new Error(`expected one ${head}`);
  return linesOf(block);
};
const linesOf = (directives: Directive[]): string[] => directives.map(({ words }) => words.join(' '));
const serverIn = (state: DesiredState, path = 'domains.conf'): Directive[] =>
  blocks(fileOf(state, path), 'server')[0] ?? [];
const appServer = (...services: DesiredHttpService[]): Directive[] => serverIn(stateOf(...services));
/** The heads of the blocks of a server. */
const headsOf = (server: Directive[]): string[] => linesOf(server.filter(({ block }) => block !== null));

describe('renderNginx', () => {
  it('keeps long lists as trees, and lets a block win as before', () => {
    const long = (third: number): string[] => Array.from({ length: 40 }, (_, last) => `192.0.${third}.${last}`);
    const state = stateOf(service(2, { allowedIps: long(2), blockedIps: [...long(3), '192.0.3.0'] }));
    expect(only(fileOf(state, 'shared.conf'), 'geo $blocked_2')).toEqual([
      'default 0',
      ...long(3).map((address) => `${address} 1`),
    ]);
    expect(only(fileOf(state, 'shared.conf'), 'geo $allowed_2').slice(0, 2)).toEqual(['default 1', '192.0.2.0 0']);
    expect(renderNginx(state, options).files.find(({ path }) => path === 'domains.conf')?.text).not.toMatch(
      /deny|allow /,
    );
  });

  it('makes one server a domain, and one location for each way to say a path', () => {
    const server = appServer(service(2), service(3, { pathLocation: '/app/' }), service(4, { pathLocation: '/app/x' }));
    expect(headsOf(server)).toEqual([
      'location @error_page',
      'location ^~ /.sallyport/',
      'if ($path_trick = climbs)',
      'location /',
      'location = /app',
      'location /app/',
      'location = /app/x',
      'location /app/x/',
    ]);
    expect(only(server, 'location = /app/x')).toEqual(['set $service_id 4', 'proxy_pass http://2.http']);
    expect(only(server, 'location /app/x/')).toEqual(only(server, 'location = /app/x'));
  });

  it('makes one location for each of many, and sends what is outside of them to the root', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEF'.split('');
    const paths = ['/', '/a.b', ...letters.map((letter) => `/s${letter}`), '/sb/deep', '/v/1'];
    const many = paths.map((pathLocation, index) => service(index + 2, { pathLocation }));
    const outside = String.raw`location ~ "^(?!/(?:a\\.b|s(?:${letters.join('|')})|v/1)(?:/|\\z))"`;
    expect(headsOf(appServer(...many))).toEqual([
      'location @error_page',
      'location ^~ /.sallyport/',
      'if ($path_trick = climbs)',
      outside,
      'location /a.b',
      ...letters.map((letter) => `location /s${letter}`),
      'location = /sb/deep',
      'location ^~ /sb/deep/',
      'location /v/1',
    ]);
    expect(only(appServer(...many), outside)).toContain('set $service_id 2');
    expect(only(appServer(...many.slice(1)), outside)).toEqual(['return 404']);
    // Few of them: nothing that a request would have to be compared with.
    expect(headsOf(appServer(...many.slice(0, 32))).join()).not.toContain('location ~');
  });

  it('gives those two locations that a pattern of nginx has no room for', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      service(index + 2, { pathLocation: `/${String(index).padEnd(100, 'x')}` }),
    );
    const heads = appServer(...many).flatMap(({ words, block }) => (block === null ? [] : [words]));
    const outside = heads.find(([, kind]) => kind === '~')?.[2] ?? '';
    expect(outside.length).toBeLessThan(4096);
    const single = heads.filter(({ length, 1: path }) => length === 2 && path !== '@error_page');
    const doubled = heads.filter(([, kind, path]) => kind === '^~' && path !== '/.sallyport/');
    expect(single.length).toBeGreaterThan(32);
    expect(doubled.length).toBeGreaterThan(8);
    expect(single.length + doubled.length).toBe(many.length);
    expect(heads.filter(([, kind]) => kind === '=')).toHaveLength(doubled.length);
  });

  it.each([
    ['where visitors sign in', { signIn: true }, {}],
    ['where one is asked for', { signIn: true }, { requireAuth: true }],
  ])('keeps two locations for each %s', (_, ofDomain, ofService) => {
    const state = stateOf(
      ...Array.from({ length: 12 }, (__, index) => service(index + 2, { pathLocation: `/s${index}`, ...ofService })),
    );
    const server = serverIn({ ...state, domains: [domain(7, 'app.example.test', ofDomain)] });
    expect(headsOf(server)).toEqual(expect.arrayContaining(['location = /s3', 'location /s3/']));
  });

  it('waits less than five seconds for the gateway where visitors sign in', () => {
    const domains = [domain(7, 'app.example.test', { signIn: true })];
    const server = serverIn({ ...stateOf(service(2, { requireAuth: true })), domains });
    for (const asked of ['location = /.sallyport/check', 'location = /.sallyport/ask', 'location ^~ /.sallyport/']) {
      const limits = ['proxy_connect_timeout 2s', 'proxy_read_timeout 4500ms'];
      expect(only(server, asked)).toEqual(expect.arrayContaining(limits));
    }
  });

  describe('where clients of Wiredoor call', () => {
    const forClients = { ...options, wiredoorClients: true };
    const calls = ['location = /api/config', 'location ^~ /api/cli/'];

    it('asks the gateway for their calls alone, without cookies, and only on names without a domain', () => {
      const state = stateOf(service(2, { domain: null }));
      const server = serverIn(state, 'default.conf');
      for (const call of calls) expect(headsOf(server)).not.toContain(call);
      const [withCalls = []] = blocks(fileOf(state, 'default.conf', forClients), 'server');
      for (const call of calls) {
        expect(only(withCalls, call)).toEqual(
          expect.arrayContaining(['proxy_pass http://console', 'proxy_set_header Cookie ""']),
        );
      }
      expect(only(withCalls, 'location ~* "^/api(?:[/;]|$)"')).toEqual(['return 404']);
      for (const call of calls) expect(headsOf(serverIn(state))).not.toContain(call);
    });

    it('lets in who may reach the console, and no one where it is closed', () => {
      const stateWith = (console: Partial<DesiredHttpService>): DesiredState => ({
        ...stateOf(),
        httpServices: [consoleService(console)],
      });
      const linesWith = (console: Partial<DesiredHttpService>): string[] => {
        const [server = []] = blocks(fileOf(stateWith(console), 'default.conf', forClients), 'server');
        return only(server, 'location ^~ /api/cli/');
      };
      expect(linesWith({ allowedIps: ['192.0.2.1'] })).toEqual(expect.arrayContaining(['allow 192.0.2.1', 'deny all']));
      const many = Array.from({ length: 40 }, (_, last) => `192.0.2.${last}`);
      expect(linesWith({ blockedIps: many })).toEqual(expect.arrayContaining(['if ($blocked_1)']));
      expect(linesWith({ requireAuth: true }).at(-1)).toBe('return 503');
    });

    it('closes services whose paths they call, and says why', () => {
      const state = stateOf(
        service(2, { domain: null, pathLocation: '/API/cli' }),
        service(3, { domain: null, pathLocation: '/apiary' }),
        service(4, { pathLocation: '/api' }),
      );
      expect(renderNginx(state, options).faults).toEqual([]);
      expect(renderNginx(state, forClients).faults).toMatchObject([
        { kind: 'httpService', id: 2, reason: expect.stringContaining('SALLYPORT_WIREDOOR_CLIENTS') as string },
      ]);
    });
  });

  it('never strips the prefix and keeps connections to the backend', () => {
    const file = fileOf(stateOf(service(2, { pathLocation: '/app', addresses: ['127.0.0.1', '::1'] })), 'shared.conf');
    expect(only(file, 'upstream 2.http').slice(0, 3)).toEqual([
      'server 127.0.0.1:8080 max_conns=1536',
      'server [0:0:0:0:0:0:0:1]:8080 max_conns=1536',
      'keepalive 64',
    ]);
  });

  it('reaches a backend from the address that is given, and shares no connection with its namesake elsewhere', () => {
    const there = service(2, { pathLocation: '/a', sourceAddress: '10.88.0.1' });
    const state = stateOf(there, service(4, { pathLocation: '/b' }));
    expect(linesOf(fileOf(state, 'shared.conf'))).toEqual(['upstream 2.http', 'upstream 4.http']);
    const server = serverIn(state);
    expect(only(server, 'location /a/').slice(-2)).toEqual(['proxy_bind 10.88.0.1', 'proxy_pass http://2.http']);
    expect(only(server, 'location /b/').join()).not.toContain('proxy_bind');
  });

  it('lets backends of this machine ask for buffering, and those of a node for nothing', () => {
    const served = stateOf(service(2, { pathLocation: '/a' }), service(4, { pathLocation: '/b', remoteNode: 7 }));
    const [server = []] = blocks(fileOf(served, 'domains.conf'), 'server');
    const ignored = 'proxy_ignore_headers X-Accel-Redirect X-Accel-Limit-Rate X-Accel-Charset X-Accel-Expires';
    expect(only(fileOf(served, 'nginx.conf'), 'http')).toContain(ignored);
    expect(only(server, 'location /a/').join()).not.toContain('proxy_ignore_headers');
    expect(only(server, 'location /b/')).toContain(`${ignored} X-Accel-Buffering`);
  });

  it('keeps fewer idle connections to each of many backends, and few to those of a node that has many', () => {
    const keptOf = (count: number, remoteNode: number | null): number[] => {
      const many = Array.from({ length: count }, (_, index) =>
        service(index + 2, { pathLocation: `/s${index}`, backendPort: index + 1, remoteNode }),
      );
      const file = renderNginx(stateOf(...many), options).files.find(({ path }) => path === 'shared.conf');
      return [...(file?.text ?? '').matchAll(/^ *keepalive (\d+);$/gm)].map(([, kept]) => Number(kept));
    };
    expect(keptOf(100, null)).toEqual(Array(100).fill(64));
    expect(keptOf(200, null)).toEqual(Array(200).fill(40));
    expect(keptOf(2000, null)).toEqual(Array(2000).fill(16));
    expect(keptOf(200, 7).length).toBe(200);
    expect(keptOf(200, 7).reduce((sum, kept) => sum + kept, 0)).toBeLessThanOrEqual(1024);
  });

  it('shares connections between services with one backend, but over TLS only within a domain', () => {
    const upstreamsOf = (...services: Parameters<typeof stateOf>): string[] =>
      linesOf(fileOf(stateOf(...services), 'shared.conf'));
    const pair = (backendProto: 'http' | 'https'): DesiredHttpService[] => [
      service(2, { backendProto, pathLocation: '/a' }),
      service(4, { backendProto, pathLocation: '/b', domain: null }),
    ];
    expect(upstreamsOf(...pair('http'))).toEqual(['upstream 2.http']);
    expect(upstreamsOf(...pair('https'))).toEqual(['upstream 2.http', 'upstream 4.http']);
    expect(upstreamsOf(service(2, { pathLocation: '/a' }), service(4, { pathLocation: '/b', backendPort: 1 }))).toEqual(
      ['upstream 2.http', 'upstream 4.http'],
    );
  });

  it('lets a block win over the allow list, which shuts everyone else out', () => {
    const locationOf = (lists: object): string[] => only(appServer(service(2, lists)), 'location /').slice(1, -1);
    expect(locationOf({ allowedIps: ['192.0.2.0/24', '2001:db8::/32'], blockedIps: ['192.0.2.7'] })).toEqual([
      'set $for_visitor 1',
      'deny 192.0.2.7',
      'allow 192.0.2.0/24',
      'allow 2001:db8:0:0:0:0:0:0/32',
      'deny all',
    ]);
    expect(locationOf({ allowedIps: [] })).toEqual([]);
  });

  it.each([
    ['a disabled service', { enabled: false }, 'return 404'],
    ['a closed service', { closed: true }, 'return 503'],
    ['a service that asks for a sign-in that does not exist', { requireAuth: true }, 'return 503'],
    ['a service without the addresses of its backend', { addresses: [] }, 'return 503'],
  ])('shows nothing of %s', (_, change, answer) => {
    expect(only(appServer(service(2, change)), 'location /')).toEqual(['set $service_id 2', answer]);
  });

  it('keeps the console apart from every service, on its port and on its domain', () => {
    const state = stateOf(service(2));
    const shared = { ...state, httpServices: [consoleService({ domain: 'app.example.test' }), service(2)] };
    const { faults } = renderNginx(shared, options);
    expect(faults).toEqual([
      { kind: 'httpService', id: 2, reason: expect.stringContaining('belongs to the console'), own: true },
    ]);
    for (const server of [serverIn(shared), serverIn(shared, 'console.conf')]) {
      expect(only(server, 'location /')).toContain('proxy_pass http://console');
      expect(only(server, 'location /')).toContain('proxy_set_header Cookie ""');
      expect(linesOf(server)).toEqual(
        expect.arrayContaining(['access_log off', 'limit_conn console_address 128', 'client_body_timeout 10s']),
      );
    }
    expect(JSON.stringify(fileOf(shared, 'default.conf'))).not.toContain('proxy_pass');
  });

  it('guards the console by its own lists, and closes it when they are damaged', () => {
    const consoleLocation = (rest: Partial<DesiredHttpService>): string[] => {
      const state = { domains: [], httpServices: [consoleService(rest)], tcpServices: [] };
      return only(serverIn(state, 'console.conf'), 'location /');
    };
    expect(consoleLocation({ blockedIps: ['192.0.2.1'] })).toContain('deny 192.0.2.1');
    expect(consoleLocation({ allowedIps: ['nonsense'] })).toContain('return 503');
  });

  it('strips the gateway’s own cookies from requests to services only', () => {
    const [http = []] = blocks(fileOf(stateOf(service(2)), 'nginx.conf'), 'http');
    expect(linesOf(http)).toContain('proxy_set_header Cookie $backend_cookies');
    expect(JSON.stringify(appServer(service(2)))).not.toContain('Cookie');
  });

  it('redirects to the visitors’ port of HTTPS, and leaves it out when it is the usual one', () => {
    const redirect = (publicHttpsPort: number): string =>
      JSON.stringify(fileOf(stateOf(), 'nginx.conf', { ...options, publicHttpsPort }));
    expect(redirect(443)).toContain('https://$redirect_host$request_uri');
    expect(redirect(8443)).toContain('https://$redirect_host:8443$request_uri');
  });

  it('closes a domain under the certificate of services without one', () => {
    const domains = [domain(7, 'app.example.test', { closed: true })];
    const state = { domains, httpServices: [service(2)], tcpServices: [] };
    expect(linesOf(serverIn(state))).toContain('ssl_certificate "/data/services.pem"');
    expect(only(serverIn(state), 'location /')).toEqual(['return 503']);
  });

  it('answers for a service whose list is damaged with 503, and for all others as before', () => {
    const damaged = service(2, { pathLocation: '/a', blockedIps: ['1.2.3.4; return 200 pwned'] });
    const untyped = service(3, { pathLocation: '/b', allowedIps: 'everybody' as never });
    const { faults } = renderNginx(stateOf(damaged, untyped, service(4)), options);
    expect(faults.map(({ id }) => id)).toEqual([2, 3]);
    const server = appServer(damaged, untyped, service(4));
    expect(only(server, 'location /a/')).toContain('return 503');
    expect(only(server, 'location /b/')).toContain('return 503');
    expect(only(server, 'location /')).toContain('proxy_pass http://4.http');
  });

  it('names the second of two services in one place, and a service of a domain that is not there', () => {
    const state = stateOf(
      service(2, { pathLocation: '/a' }),
      service(3, { pathLocation: '/a/' }),
      service(4, { domain: 'gone.test' }),
    );
    expect(renderNginx(state, options).faults.map(({ id }) => id)).toEqual([3, 4]);
  });

  it('cannot be rendered at all into a directory that nginx could misread', () => {
    const layout = { ...options.layout, tmp: '/data/$host' };
    expect(() => renderNginx(stateOf(), { ...options, layout })).toThrow(/cannot stand in a configuration/);
  });
});

describe('hostile values', () => {
  /** What the configuration does, with the words of values left out. */
  const shape = (directives: Directive[]): unknown =>
    directives.map(({ words: [name, ...rest], block }) =>
      block === null ? [name, rest.length] : [name, rest.length, shape(block)],
    );

  it('never change what the configuration consists of', () => {
    const hostile = fc.record(
      {
        domain: hostileText,
        pathLocation: hostileText,
        backendProto: hostileText as fc.Arbitrary<never>,
        backendPort: hostileNumber,
        addresses: fc.array(hostileText, { maxLength: 2 }),
        allowedIps: fc.option(fc.array(hostileText, { maxLength: 3 })),
        blockedIps: fc.option(fc.array(hostileText, { maxLength: 3 })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(hostile, hostileText, fc.boolean(), (values, name, same) => {
        const bad = service(2, { ...values, ...(same ? { domain: name } : {}) });
        const bystander = service(5, { domain: 'safe.example.test' });
        const state = {
          domains: [domain(7, name), domain(8, 'safe.example.test')],
          httpServices: [consoleService(), bad, bystander],
          tcpServices: [],
        };
        const { files } = renderNginx(state, options);
        const domains = parse(files.find(({ path }) => path === 'domains.conf')?.text ?? '');
        // The bystander's server is the last one.
        expect(shape(domains.splice(-1))).toEqual(safeShape);
        for (const { path, text } of files) {
          if (path === 'nginx.conf' || path === 'console.conf') continue;
          const directives = path === 'domains.conf' ? domains : parse(text);
          for (const [head, ...rest] of directives.flatMap(flat)) {
            if (ofSharedNames.includes([head, ...rest].join(' '))) continue;
            expect(KNOWN).toContain(head);
            for (const word of rest)
              expect(word).not.toMatch(
                /\$(?!domain_id|service_id|place|asked_service|node_share|for_visitor|caching_of_nodes|caching_for_visitor|error_page|redirect_host|server_port|request_uri|unframed_connection)/,
              );
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  const ofSharedNames = [
    `access_log "${options.layout.accessLog}" access buffer=32k flush=200ms if=$service_id`,
    'if ($beyond_path)',
    'if ($foreign_name)',
    'if ($half_upgrade)',
    'if ($path_trick = climbs)',
    'if ($path_trick)',
  ];
  const safeShape = shape(
    fileOf(
      {
        domains: [domain(8, 'safe.example.test')],
        httpServices: [service(5, { domain: 'safe.example.test' })],
        tcpServices: [],
      },
      'domains.conf',
    ),
  );
  const flat = ({ words, block }: Directive): string[][] => [words, ...(block ?? []).flatMap(flat)];
  const KNOWN = (
    'upstream server keepalive keepalive_requests keepalive_timeout listen server_name ssl_certificate ' +
    'ssl_certificate_key error_page proxy_hide_header location add_header return set allow deny proxy_pass'
  ).split(' ');
});
