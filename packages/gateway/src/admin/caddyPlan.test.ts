import { afterAll, describe, expect, it } from 'vitest';
import { APP, planOf, removeCaddyfiles, site, summaryOf } from '../testing/caddyfiles.ts';

afterAll(removeCaddyfiles);

describe('sites of a Caddyfile that are taken in', () => {
  it.each<[string, string, string[]]>([
    ['one without braces', 'a.test\n\nreverse_proxy app:80\n', [APP]],
    ['one with the braces', site('reverse_proxy app:80'), [APP]],
    [
      'several names',
      'a.test, b.test,\nhttps://c.test:443 {\nreverse_proxy app:80\n}',
      [APP, 'b.test/ http://app:80', 'c.test/ http://app:80'],
    ],
    ['a name in another script', 'müller.example {\nreverse_proxy app:80\n}', ['xn--mller-kva.example/ http://app:80']],
    ['http alone', 'http://a.test {\nreverse_proxy app:80\n}', [APP]],
    ['a backend without a host', site('reverse_proxy :3000'), ['a.test/ http://localhost:3000']],
    ['a backend of IPv6', site('reverse_proxy [fd00::1]:3000'), ['a.test/ http://fd00::1:3000']],
    [
      'a backend with TLS',
      site('reverse_proxy https://nas.lan:5001 {', 'transport http {', 'tls_insecure_skip_verify', '}', '}'),
      ['a.test/ https://nas.lan:5001'],
    ],
    [
      'a transport with TLS',
      site('reverse_proxy nas.lan:5001 {', 'transport http {', 'tls', '}', '}'),
      ['a.test/ https://nas.lan:5001'],
    ],
    [
      'a backend in the block',
      site(
        'reverse_proxy {',
        'to app:80',
        'header_up Host {host}',
        'header_up X-Real-IP {remote_host}',
        'flush_interval -1',
        '}',
      ),
      [APP],
    ],
    [
      'what shows nothing else',
      site(
        'tls me@a.test',
        'encode zstd gzip',
        'log',
        'header {',
        '-Server',
        'Strict-Transport-Security "max-age=31536000;"',
        '}',
        'reverse_proxy app:80',
      ),
      [APP],
    ],
    ['a token of DNS', site('tls {', 'dns cloudflare {$CF_API_TOKEN}', '}', 'reverse_proxy app:80'), [APP]],
    [
      'paths',
      site(
        'reverse_proxy /api/* api:81',
        'handle /ws* {',
        'reverse_proxy ws:82',
        '}',
        'handle {',
        'reverse_proxy app:80',
        '}',
      ),
      ['a.test/api http://api:81', 'a.test/ws http://ws:82', APP],
    ],
    [
      'a matcher of two paths',
      site('@a path /x/* /y/*', 'handle @a {', 'reverse_proxy other:81', '}', 'reverse_proxy app:80'),
      ['a.test/x http://other:81', 'a.test/y http://other:81', APP],
    ],
    [
      'an address that Caddy answers',
      site('redir /.well-known/carddav /dav 301', 'respond /health 200', 'reverse_proxy app:80'),
      [APP],
    ],
    [
      'websockets of the same backend',
      site(
        '@ws {',
        'header Connection *Upgrade*',
        'header Upgrade websocket',
        '}',
        'reverse_proxy @ws app:80',
        'reverse_proxy app:80',
      ),
      [APP],
    ],
    [
      'names of a wildcard',
      '*.a.test {\ntls {\ndns x\n}\n@b host b.a.test\nhandle @b {\nreverse_proxy b:80\n}\n@c host c.a.test\nhandle @c {\nreverse_proxy c:80\n}\nhandle {\nabort\n}\n}',
      ['b.a.test/ http://b:80', 'c.a.test/ http://c:80'],
    ],
    [
      'a name that a wildcard has, too',
      '*.a.test {\n@b host b.a.test\nreverse_proxy @b b:80\n}\nb.a.test {\nreverse_proxy own:80\n}',
      ['b.a.test/ http://own:80'],
    ],
    [
      'names that lead to another',
      'www.a.test, a.test {\n@www host www.a.test\nredir @www https://a.test{uri}\nreverse_proxy app:80\n}',
      [APP],
    ],
    [
      'a snippet with words for it',
      '(to) {\nencode gzip\nreverse_proxy {args[0]}:{args[1]}\n}\na.test {\nimport to app 80\n}',
      [APP],
    ],
    [
      'a snippet of whole sites',
      '(site) {\n{args.0}.test {\nreverse_proxy {args[1:]}\n}\n}\nimport site a app:80\nimport site b b:81',
      [APP, 'b.test/ http://b:81'],
    ],
    [
      'a line that goes on, a comment and a heredoc',
      'a.test { # the first\nrespond /x <<END\n  }\n  END 200\nreverse_proxy \\\n  "app:80" # "quoted\n}',
      [APP],
    ],
  ])('%s', (_, text, expected) => expect(summaryOf(text)).toEqual(expected));

  it.each<[string, string, string[]]>([
    [
      'that may',
      site('@out not remote_ip 192.0.2.0/24 2001:db8::/32', 'abort @out', 'reverse_proxy app:80'),
      [`${APP} +192.0.2.0/24 +2001:db8::/32`],
    ],
    [
      'that may, in a block',
      site('@out {', 'not remote_ip 192.0.2.0/24', '}', 'respond @out "No" 403', 'reverse_proxy app:80'),
      [`${APP} +192.0.2.0/24`],
    ],
    [
      'that may, by a handle',
      site('@in remote_ip 192.0.2.0/24', 'handle @in {', 'reverse_proxy app:80', '}', 'respond 403'),
      [`${APP} +192.0.2.0/24`],
    ],
    [
      'that may, and refused by a handle',
      site('@in client_ip 192.0.2.0/24', 'handle @in {', 'reverse_proxy app:80', '}', 'handle {', 'abort', '}'),
      [`${APP} +192.0.2.0/24`],
    ],
    [
      'that may, sent elsewhere otherwise',
      site('@out not remote_ip 192.0.2.0/24', 'redir @out https://b.test', 'reverse_proxy app:80'),
      [`${APP} +192.0.2.0/24`],
    ],
    [
      'that may not',
      site('@bad remote_ip 192.0.2.9', 'handle @bad {', 'respond 403', '}', 'reverse_proxy app:80'),
      [`${APP} -192.0.2.9`],
    ],
    [
      'of a path',
      site(
        'handle /admin/* {',
        '@out not remote_ip 192.0.2.9',
        'abort @out',
        'reverse_proxy adm:81',
        '}',
        'reverse_proxy app:80',
      ),
      ['a.test/admin http://adm:81 +192.0.2.9', APP],
    ],
  ])('addresses %s', (_, text, expected) => expect(summaryOf(text)).toEqual(expected));

  it('has private ranges as addresses, and says what is otherwise, with its line', () => {
    const { services } = planOf(
      'a.test {\nheader X y\n@out not remote_ip private_ranges\nabort @out\nreverse_proxy localhost:80\n}',
    );
    expect(services).toMatchObject([
      {
        title: 'https://a.test → http://localhost:80 (line 5)',
        closed: null,
        body: { allowedIps: expect.arrayContaining(['10.0.0.0/8', '192.168.0.0/16', 'fd00::/8']) },
        notes: expect.arrayContaining([
          expect.stringContaining('the container, of Caddy'),
          'line 2: headers of replies are not changed here',
        ]),
      },
    ]);
  });
});

/** What Caddy protects by something that is not to be had here. */
const PROTECTED: [string, string][] = [
  ['what replaces answers', site('intercept {', '@a status 2xx', 'respond @a 403', '}', 'reverse_proxy app:80')],
  ['templates, which may refuse', site('templates', 'reverse_proxy app:80')],
  ['a password', site('basic_auth {', 'me $2a$14$s3cret', '}', 'reverse_proxy app:80')],
  ['a password of a path', site('basicauth /admin/* {', 'me s3cret', '}', 'reverse_proxy app:80')],
  ['a password in a handle', site('handle {', 'basic_auth {', 'me s3cret', '}', 'reverse_proxy app:80', '}')],
  [
    'a password before files in its place',
    site('handle /admin/* {', 'basic_auth {', 'me s3cret', '}', 'file_server', '}', 'reverse_proxy app:80'),
  ],
  [
    'a password of a path that is cut off',
    site(
      'handle_path /admin/* {',
      'basic_auth {',
      'me s3cret',
      '}',
      'reverse_proxy app:80',
      '}',
      'reverse_proxy app:80',
    ),
  ],
  [
    'a password of a beginning of paths',
    site(
      'handle /admin* {',
      'basic_auth {',
      'me s3cret',
      '}',
      'file_server',
      '}',
      'handle {',
      'reverse_proxy app:80',
      '}',
    ),
  ],
  [
    'a password of a pattern of paths',
    site('handle /*/admin/* {', 'basic_auth {', 'me s3cret', '}', 'reverse_proxy app:80', '}', 'reverse_proxy app:80'),
  ],
  ['a snippet', `(auth) {\nbasic_auth {\nme s3cret\n}\n}\n${site('import auth', 'reverse_proxy app:80')}`],
  ['a snippet that is nowhere', site('import auth', 'reverse_proxy app:80')],
  ['a file that is nowhere', site('import auth/*.conf x', 'import ../auth', 'reverse_proxy app:80')],
  [
    'another server',
    site('forward_auth authelia:9091 {', 'uri /api/verify', 'copy_headers Remote-User', '}', 'reverse_proxy app:80'),
  ],
  ['a plugin', site('crowdsec', 'reverse_proxy app:80')],
  ['a plugin with a route', site('route {', 'authorize with policy', 'reverse_proxy app:80', '}')],
  [
    'a certificate of the visitor',
    site('tls {', 'client_auth {', 'mode require_and_verify', '}', '}', 'reverse_proxy app:80'),
  ],
  ['an address', site('bind 127.0.0.1', 'reverse_proxy app:80')],
  ['a default address', `{\ndefault_bind 10.0.0.1\n}\n${site('reverse_proxy app:80')}`],
  ['a port', 'a.test:8443 {\nreverse_proxy app:80\n}'],
  ['a refused path', site('respond /admin/* 403', 'reverse_proxy app:80')],
  ['a refused address', site('@x path /metrics', 'abort @x', 'reverse_proxy app:80')],
  [
    'a path that is refused in a handle',
    site('handle /admin/* {', 'error 404', '}', 'handle {', 'reverse_proxy app:80', '}'),
  ],
  ['a path with an answer', site('respond /admin* "nothing here"', 'reverse_proxy app:80')],
  ['a path that is led away', site('redir /admin* /', 'reverse_proxy app:80')],
  ['a path that is changed', site('rewrite /admin/* /denied', 'reverse_proxy app:80')],
  ['a header', site('@no not header X-Key s3cret', 'respond @no 401', 'reverse_proxy app:80')],
  [
    'a header, by a handle',
    site(
      '@no not header Cookie *session*',
      'handle @no {',
      'reverse_proxy login:80',
      '}',
      'handle {',
      'reverse_proxy app:80',
      '}',
    ),
  ],
  ['a method', site('@write method POST', 'abort @write', 'reverse_proxy app:80')],
  ['an expression', site('@no expression `{query.key} != "s3cret"`', 'respond @no 403', 'reverse_proxy app:80')],
  ['a matcher that is nowhere', site('abort @nowhere', 'reverse_proxy app:80')],
  [
    'addresses of a path',
    site('@out {', 'path /admin/*', 'not remote_ip 192.0.2.0/24', '}', 'respond @out 403', 'reverse_proxy app:80'),
  ],
  [
    'addresses within a condition',
    site('@out not {', 'remote_ip 192.0.2.0/24', 'path /open/*', '}', 'abort @out', 'reverse_proxy app:80'),
  ],
  [
    'two kinds of addresses, of which a visitor has to be in both',
    site(
      '@in {',
      'remote_ip 192.0.2.0/24',
      'client_ip 192.0.2.7',
      '}',
      'reverse_proxy @in app:80',
      'reverse_proxy login:80',
    ),
  ],
  ['addresses that cannot be read', site('@out not remote_ip {$HOME_NET}', 'abort @out', 'reverse_proxy app:80')],
  [
    'addresses of other proxies',
    `{\nservers {\ntrusted_proxies static private_ranges\n}\n}\n${site('@out not client_ip 192.0.2.1', 'abort @out', 'reverse_proxy app:80')}`,
  ],
  [
    'two lists of addresses',
    site('@a not remote_ip 192.0.2.1', '@b not remote_ip 192.0.2.2', 'abort @a', 'abort @b', 'reverse_proxy app:80'),
  ],
  [
    'addresses of a beginning of paths',
    site(
      'handle /adm* {',
      '@out not remote_ip 192.0.2.9',
      'abort @out',
      'reverse_proxy app:80',
      '}',
      'reverse_proxy app:80',
    ),
  ],
  ['an answer to all', site('respond "maintenance" 503', 'reverse_proxy app:80')],
  ['a header for the backend', site('reverse_proxy app:80 {', 'header_up -X-Remote-User', '}')],
  ['a header of the request', site('request_header -Remote-User', 'reverse_proxy app:80')],
  [
    'an answer of the backend',
    site('reverse_proxy app:80 {', '@denied status 401', 'handle_response @denied {', 'respond 403', '}', '}'),
  ],
  ['one address alone', site('reverse_proxy /hook app:80')],
  ['a global plugin', `{\nwaf on\n}\n${site('reverse_proxy app:80')}`],
  ['a variable', site('{$AUTH}', 'reverse_proxy app:80')],
  ['another route', site('invoke auth', 'reverse_proxy app:80')],
  ['a wildcard', '*.a.test {\nbasic_auth {\nme s3cret\n}\n@b host b.a.test\nhandle @b {\nreverse_proxy b:80\n}\n}'],
  ['a path of a wildcard', '*.a.test {\nrespond /admin/* 403\n@b host b.a.test\nhandle @b {\nreverse_proxy b:80\n}\n}'],
];

describe('what Caddy protects', () => {
  it.each(PROTECTED)('by %s is closed, and why is said with a line', (_, text) => {
    const { services } = planOf(text);
    expect(services.length).toBeGreaterThan(0);
    expect(services.filter(({ closed }) => closed === null)).toEqual([]);
    expect(services.every(({ closed }) => /line \d|lets in some/.test(closed ?? ''))).toBe(true);
    expect(JSON.stringify(services)).not.toContain('s3cret');
  });

  it('closes no other site, and no other path with a backend of its own', () => {
    const guarded = [
      'handle /adm/* {',
      'basic_auth {',
      'me x',
      '}',
      'reverse_proxy adm:81',
      '}',
      'reverse_proxy app:80',
    ];
    expect(summaryOf(`${site(...guarded)}\nb.test {\nreverse_proxy app:80\n}`)).toEqual([
      'a.test/adm http://adm:81 closed',
      APP,
      'b.test/ http://app:80',
    ]);
  });
});

describe('what is not taken in', () => {
  it.each<[string, string, string, string]>([
    ['files', site('root * /srv', 'file_server'), 'a.test (line 3)', 'serves no files'],
    ['PHP', site('php_fastcgi unix//run/php.sock'), 'a.test (line 2)', 'FastCGI'],
    ['a redirection', 'www.a.test {\nredir https://a.test{uri} permanent\n}', 'www.a.test', 'redirections'],
    ['a cut path', site('handle_path /api/* {', 'reverse_proxy api:80', '}'), 'a.test /api (line 3)', 'cut off'],
    ['a changed path', site('uri strip_prefix /api', 'reverse_proxy api:80'), 'a.test (line 3)', 'uri changes'],
    ['two backends', site('reverse_proxy a:80 b:80'), 'a.test (line 2)', 'several'],
    ['a socket', site('reverse_proxy unix//run/app.sock'), 'a.test (line 2)', 'no backend that can be reached'],
    ['no name', ':80 {\nreverse_proxy app:80\n}', '* (line 2)', 'under any name'],
    ['a wildcard', '*.a.test {\nreverse_proxy app:80\n}', '*.a.test (line 2)', 'names with *'],
    ['a name of the machine', 'localhost {\nreverse_proxy app:80\n}', 'localhost (line 1)', 'own machine'],
    ['a name without a value', '{$DOMAIN} {\nreverse_proxy app:80\n}', '{$DOMAIN} (line 1)', '--env-file'],
    ['what it imports from elsewhere', 'import /etc/caddy/sites/*', 'import', "below the Caddyfile's directory"],
  ])('%s', (_, text, what, why) => {
    const { services, left } = planOf(text);
    expect(services).toEqual([]);
    expect(left).toContainEqual({ what, why: expect.stringContaining(why) });
  });
});

it('says of each domain whether it promised HTTPS', () => {
  const plan = planOf(
    '(safe) {\nheader >Strict-Transport-Security "max-age=31536000"\n}\na.test {\nimport safe\nreverse_proxy app:80\n}\nb.test {\nheader X-Strict-Transport-Security no\nreverse_proxy app:80\n}\nc.test {\nhandle {\nheader {\nstrict-transport-security max-age=1\n}\nreverse_proxy app:80\n}\nreverse_proxy /x/* app:81\n}\nd.test {\nheader -Strict-Transport-Security\nreverse_proxy app:80\n}\n',
  );
  expect(plan.domains.map(({ domain, hsts }) => [domain, hsts])).toEqual([
    ['a.test', true],
    ['b.test', false],
    ['c.test', true],
    ['d.test', false],
  ]);
});
