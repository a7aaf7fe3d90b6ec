import { expect, it } from 'vitest';
import { configText } from './configText.ts';
import type { DesiredDomain } from './desiredState.ts';
import { planCertificates } from './nginxCertificates.ts';
import { parse } from '../testing/nginxSyntax.ts';

const block = (kind: string, content: string): string => `-----BEGIN ${kind}-----\n${content}\n-----END ${kind}-----`;
const pemOf = (content: string): string => `${block('CERTIFICATE', content)}\n${block('PRIVATE KEY', 'KEY+/=')}\n`;

const domain = (id: number, pem: string, rest: Partial<DesiredDomain> = {}): DesiredDomain => ({
  id,
  domain: `d${id}.example.test`,
  certificate: { certificate: `/data/${id}.pem`, key: `/data/${id}.key`, pem: { reveal: () => pem } },
  closed: false,
  signIn: false,
  ...rest,
});
const many = (...special: DesiredDomain[]): DesiredDomain[] => [
  ...special,
  ...Array.from({ length: 20 }, (_, index) => domain(100 + index, pemOf('AAAA'))),
];

/** What is written for all, and for one server. */
function written(
  domains: DesiredDomain[],
  one: DesiredDomain,
): { texts: Map<string, Map<string, string>>; own: string } {
  const plan = planCertificates(domains);
  const [shared, server] = [configText('shared', []), configText('server', [])];
  plan.texts?.(shared);
  plan.write(server, one);
  const maps = parse(shared.file().text).map(({ words, block: entries }) => {
    const pairs = (entries ?? []).map((entry) => [entry.words[0] ?? '', entry.words[1] ?? ''] as const);
    return [words.join(' '), new Map(pairs)] as const;
  });
  return { texts: new Map(maps), own: server.file().text };
}

it('leaves the certificates of a few domains to the reload', () => {
  const one = domain(1, pemOf('AAAA'));
  expect(written([one], one)).toEqual({
    texts: new Map(),
    own: 'ssl_certificate "/data/1.pem";\nssl_certificate_key "/data/1.key";\n',
  });
});

it('keeps a chain that is longer than a parameter may be in parts that make it whole again', () => {
  const pem = pemOf(Array.from({ length: 98 }, (_, line) => String(line).padStart(64, 'A')).join('\n'));
  const one = domain(1, `Authority: https://authority.test/"$;{\n${pem}`);
  const { texts, own } = written(many(one), one);
  expect([...texts.keys()]).toEqual([0, 1, 2].map((part) => `map $ssl_server_name $domain_certificate_${part}`));
  const parts = [...texts.values()].map((map) => map.get('d1.example.test')?.replace(/^"|"$/g, '') ?? '');
  expect(parts.every((part) => part.length < 4000)).toBe(true);
  expect(parts.join('').replaceAll(String.raw`\n`, '\n')).toBe(pem);
  const value = '"data:$domain_certificate_0$domain_certificate_1$domain_certificate_2#1"';
  expect(own).toBe(`ssl_certificate ${value};\nssl_certificate_key ${value};\n`);
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
  const { texts, own } = written(many(one), one);
  for (const map of texts.values()) expect([...map.values()].join()).not.toContain('SECRET');
  expect(texts.size).toBe(1);
  expect(own).toContain('ssl_certificate "/data/1.pem"');
});

it('leaves what is no pair to nginx, which says what is wrong with the file', () => {
  const one = domain(1, 'nothing');
  expect(written(many(one), one).own).toContain('ssl_certificate "/data/1.pem"');
});
