import { describe, expect, it } from 'vitest';
import { configText, network, ownerOf, peer } from './configText.ts';
import type { Owner } from './desiredState.ts';
import { renderNginx } from './nginx.ts';
import { service, stateOf, renderOptions as options } from '../../testing/desiredStates.ts';

it('leaves nothing of what could not be written to its end', () => {
  const owners: Owner[] = [];
  const out = configText('a.conf', owners);
  out.line('before');
  const broken = (): void =>
    out.atomic(() => {
      out.owned('domain', 1, () => out.line('half'));
      out.block('server', () => {
        throw new Error('no name');
      });
    });
  expect(broken).toThrow('no name');
  out.owned('domain', 2, () => out.line('behind'));
  expect(out.file().text).toBe('before;\nbehind;\n');
  expect(owners).toEqual([{ kind: 'domain', id: 2, file: 'a.conf', from: 2, to: 2 }]);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.255/32', '192.0.2.255/32'],
  ['11.0.9.9/8', '11.0.0.0/8'],
  ['10.255.255.255/13', '10.248.0.0/13'],
  ['255.255.255.255/0', '0.0.0.0/0'],
  ['255.255.255.255/31', '255.255.255.254/31'],
  ['255.255.255.255', '::ffff:ffff:ffff'],
  ['::ffff:192.0.2.9/120', '192.0.2.0/24'],
  // Once a way to write IPv4, which no visitor comes from.
  ['::192.0.2.9/112', '0:0:0:0:0:0:c000:0/112'],
  ['2001:db8:ffff::1/33', '2001:db8:8000:0:0:0:0:0/33'],
  ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ['::/0', '0:0:0:0:0:0:0:0/0'],
  // What is none is nginx's to refuse.
  ['1.2.3.400/8', '1.2.3.400/8'],
  ['1.2.3.4/33', '1.2.3.4/33'],
  ['1:2/129', '1:2/129'],
  ['::1/129', '::1/129'],
])('writes the network %s as %s', (given, written) => {
  expect(network(given)).toBe(written);
});

it.each([
  ['2001:db8::1', '[2001:db8:0:0:0:0:0:1]:80'],
  ['1:2:3:4:5:6:7::', '[1:2:3:4:5:6:7:0]:80'],
  ['::2:3:4:5:6:7:8', '[0:2:3:4:5:6:7:8]:80'],
  ['::', '[0:0:0:0:0:0:0:0]:80'],
  ['192.0.2.1', '192.0.2.1:80'],
])('writes the backend %s as %s', (address, written) => {
  expect(peer(address, 80)).toBe(written);
});

describe('owners', () => {
  const { files, owners } = renderNginx(
    stateOf(service(2), service(3, { pathLocation: '/app', blockedIps: ['999.1.1.1'] })),
    options,
  );
  const lineOf = (path: string, text: string): number =>
    (files
      .find((file) => file.path === path)
      ?.text.split('\n')
      .findIndex((line) => line.includes(text)) ?? -1) + 1;

  it('tells a service by its lines, in its upstream and within its domain', () => {
    const file = 'domains.conf';
    expect(ownerOf(owners, { file, line: lineOf(file, 'deny 999.1.1.1') })).toEqual({ kind: 'httpService', id: 3 });
    const upstreams = { file: 'shared.conf', line: lineOf('shared.conf', 'upstream 2.http') };
    expect(ownerOf(owners, upstreams)).toEqual({ kind: 'httpService', id: 2 });
  });

  it('tells a domain by its name’s line and by its certificate', () => {
    const file = 'domains.conf';
    expect(ownerOf(owners, { file, line: lineOf(file, 'server_name') })).toEqual({ kind: 'domain', id: 7 });
    expect(ownerOf(owners, { path: '/data/7.key' })).toEqual({ kind: 'domain', id: 7 });
  });

  it('blames no one for the main file', () => {
    expect(ownerOf(owners, { file: 'nginx.conf', line: 3 })).toBeNull();
    expect(ownerOf(owners, { path: '/data/own.pem' })).toBeNull();
  });
});
