import { describe, expect, it } from 'vitest';
import { renderNginx } from './nginx.ts';
import { ownerOf } from './owner.ts';
import { service, stateOf } from '../../testing/desiredStates.ts';
import { renderOptions as options } from '../../testing/renderOptions.ts';

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
    const upstreams = { file: 'shared.conf', line: lineOf('shared.conf', 'upstream 2.http--') };
    expect(ownerOf(owners, upstreams)).toEqual({ kind: 'httpService', id: 2 });
  });

  it('tells a domain by its name’s line and by its certificate', () => {
    const file = 'domains.conf';
    expect(ownerOf(owners, { file, line: lineOf(file, 'server_name') })).toEqual({ kind: 'domain', id: 7 });
    expect(ownerOf(owners, { path: '/data/7.key' })).toEqual({ kind: 'domain', id: 7 });
  });

  it('blames nobody for the main file', () => {
    expect(ownerOf(owners, { file: 'nginx.conf', line: 3 })).toBeNull();
    expect(ownerOf(owners, { path: '/data/own.pem' })).toBeNull();
  });
});
