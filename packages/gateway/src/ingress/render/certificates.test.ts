import { expect, it } from 'vitest';
import { configText } from './configText.ts';
import type { CertificateFiles, DesiredDomain } from './desiredState.ts';
import { planCertificates } from './certificates.ts';
import { domain as domainOf } from '../../testing/desiredStates.ts';
import { parse } from '../../testing/nginxSyntax.ts';

const block = (kind: string, content: string): string => `-----BEGIN ${kind}-----\n${content}\n-----END ${kind}-----`;
const pemOf = (content: string): string => `${block('CERTIFICATE', content)}\n${block('PRIVATE KEY', 'KEY+/=')}\n`;

const domain = (id: number, pem: string, rest: Partial<DesiredDomain> = {}): DesiredDomain => {
  const certificate = { certificate: `/data/${id}.pem`, key: `/data/${id}.key`, pem: { reveal: () => pem } };
  return domainOf(id, `d${id}.example.test`, { certificate, ...rest });
};
const many = (...special: DesiredDomain[]): DesiredDomain[] => [
  ...special,
  ...Array.from({ length: 20 }, (_, index) => domain(100 + index, pemOf('AAAA'))),
];

const gatewaysOwn: CertificateFiles = {
  certificate: '/data/own.pem',
  key: '/data/own.key',
  pem: { reveal: () => pemOf('OWN+') },
};

type Written = { texts: Map<string, Map<string, string>>; server: string; defaultServer: string };

/** What is written for all, for the server of one domain, and for the default server. */
function written(domains: DesiredDomain[], one: DesiredDomain, own = gatewaysOwn): Written {
  const plan = planCertificates(domains, own);
  const [shared, server, rest] = [configText('shared', []), configText('server', []), configText('default', [])];
  plan.texts?.(shared);
  plan.write(server, one);
  plan.writeDefault(rest);
  const maps = parse(shared.file().text).map(({ words, block: entries }) => {
    const pairs = (entries ?? []).map((entry) => [entry.words[0] ?? '', entry.words[1] ?? ''] as const);
    return [words.join(' '), new Map(pairs)] as const;
  });
  return { texts: new Map(maps), server: server.file().text, defaultServer: rest.file().text };
}

/** The text that the maps give to who asks for that name. */
function textFor({ texts }: Written, name: string): string {
  const parts = [...texts.values()].map((map) => map.get(name) ?? map.get('default') ?? '');
  return parts.map((part) => part.replace(/^"|"$/g, '').replaceAll(String.raw`\n`, '\n')).join('');
}

it('leaves the certificates of a few domains to the reload', () => {
  const one = domain(1, pemOf('AAAA'));
  expect(written([one], one)).toEqual({
    texts: new Map(),
    server: 'ssl_certificate "/data/1.pem";\nssl_certificate_key "/data/1.key";\n',
    defaultServer: 'ssl_certificate "/data/own.pem";\nssl_certificate_key "/data/own.key";\n',
  });
});

it('shows the certificate of the gateway at a closed domain, among few and among many', () => {
  const one = domain(1, pemOf('SECRET'), { closed: true });
  expect(written([one], one).server).toContain('"/data/own.pem"');
  const among = written(many(one), one);
  expect(among.server.trim()).toBe('');
  expect(textFor(among, one.domain)).toBe(pemOf('OWN+'));
});

it('keeps a chain that is longer than a parameter may be in parts that make it whole again', () => {
  const pem = pemOf(Array.from({ length: 98 }, (_, line) => String(line).padStart(64, 'A')).join('\n'));
  const one = domain(1, `Authority: https://authority.test/"$;{\n${pem}`);
  const all = written(many(one), one);
  expect([...all.texts.keys()]).toEqual([0, 1, 2].map((part) => `map $ssl_server_name $domain_certificate_${part}`));
  const parts = [...all.texts.values()].map((map) => map.get(one.domain) ?? '');
  expect(parts.every((part) => part.length < 4000)).toBe(true);
  expect(textFor(all, one.domain)).toBe(pem);
  expect(all.server.trim()).toBe('');
  const value = '"data:$domain_certificate_0$domain_certificate_1$domain_certificate_2"';
  expect(all.defaultServer).toBe(`ssl_certificate ${value};\nssl_certificate_key ${value};\n`);
});

it('adds nothing of a longer chain of the gateway to a shorter one', () => {
  const one = domain(1, pemOf('AAAA'));
  const long = pemOf(Array.from({ length: 60 }, () => 'B'.repeat(64)).join('\n'));
  const all = written(many(one), one, { ...gatewaysOwn, pem: { reveal: () => long } });
  expect(all.texts.size).toBe(2);
  expect(textFor(all, one.domain)).toBe(pemOf('AAAA'));
  expect(textFor(all, 'nobody.example.test')).toBe(long);
});

it('takes a domain for a name also where it is a word of nginx', () => {
  const one = domain(1, pemOf('BBBB'), { domain: 'default' });
  const [map] = written(many(one), one).texts.values();
  expect([...(map?.keys() ?? [])]).toContain(String.raw`\default`);
});

it.each([
  ['that is closed', { closed: true }],
  ['without a name that nginx takes', { domain: 'no name; }' }],
])('has no text of a domain %s', (_, rest) => {
  const one = domain(1, pemOf('SECRET'), rest);
  const { texts } = written(many(one), one);
  for (const map of texts.values()) expect([...map.values()].join()).not.toContain('SECRET');
  expect(texts.size).toBe(1);
});

it('leaves what is no pair to nginx, which says what is wrong with the file', () => {
  const one = domain(1, 'nothing');
  expect(written(many(one), one).server).toContain('ssl_certificate "/data/1.pem"');
  const without = written(many(domain(1, pemOf('AAAA'))), one, { ...gatewaysOwn, pem: { reveal: () => 'nothing' } });
  expect(without.texts.size).toBe(0);
  expect(without.defaultServer).toContain('"/data/own.pem"');
});
