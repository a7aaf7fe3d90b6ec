import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCertificates, type CertificatePair } from '../certificates/selfSigned.ts';
import { domain, renderOptions, service, stateOf } from '../testing/desiredStates.ts';
import { type NginxTrial, openNginxTrial } from '../testing/nginxTrial.ts';
import type { DesiredDomain, DesiredState, Rendered } from './render/desiredState.ts';
import { renderNginx } from './render/nginx.ts';

// nginx keeps names in tables of a fixed size: what those who choose the names could do to them.

let trial: NginxTrial;
let certificate: CertificatePair;

beforeAll(async () => {
  trial = await openNginxTrial(0);
  certificate = await createCertificates(trial.ingress.layout.certificates).ensureSelfSigned(['gateway.test']);
});
afterAll(() => trial.close());

const rendered = (state: DesiredState): Rendered =>
  renderNginx(state, {
    ...renderOptions,
    layout: trial.ingress.layout,
    listen: ['127.0.0.1'],
    certificate,
    servicesCertificate: certificate,
  });

/** All that nginx says of a configuration, also where it takes it. */
function warningsOf(files: Rendered['files']): string {
  const directory = join(trial.data.ingress, 'warnings');
  mkdirSync(directory, { recursive: true });
  for (const { path, text } of files) writeFileSync(join(directory, path), text);
  return spawnSync('nginx', ['-t', '-p', directory, '-c', join(directory, 'nginx.conf')], { encoding: 'utf8' }).stderr;
}

/** Names of 253 characters of which nginx's hash is the same: 31 times the code of one character, and that of the next. */
function namesWithOneHash(count: number): string[] {
  const rest = [55, 63, 63].map((length) => 'a'.repeat(length)).join('.');
  return Array.from({ length: count }, (_, index) => {
    const pairs = index.toString(2).padStart(16, '0').replaceAll('0', 'an').replaceAll('1', 'c0');
    return `x${pairs}.${'b'.repeat(33)}.${rest}`.slice(0, 248) + '.test';
  });
}

const ofNode = (name: string, index: number): DesiredDomain =>
  domain(100 + index, name, { certificate, users: 'node' });

it('serves all others when nodes bring names that nginx has no room for in one place', async () => {
  const names = namesWithOneHash(400);
  const domains = [...names.slice(1).map(ofNode), domain(7, names[0] ?? '', { certificate })];
  const { files, faults } = rendered({ ...stateOf(), domains });
  expect(await trial.ingress.check(files)).toEqual([]);
  // The last of the nodes' names, and not the gateway's own.
  expect(faults.length).toBeGreaterThan(100);
  expect(faults.map(({ kind, own }) => [kind, own])).toEqual(faults.map(() => ['domain', true]));
  expect(faults.map(({ id }) => id)).toEqual(domains.slice(-1 - faults.length, -1).map(({ id }) => id));
  expect(faults[0]?.reason).toBe('nginx has no room for its name next to others like it. Choose another name.');
});

it('has room for the variables of a node that has 200 services within each other, lists and sign-ins included', async () => {
  const services = Array.from({ length: 198 }, (_, index) =>
    service(10 + index, {
      pathLocation: `/${'a/'.repeat(index % 60)}s${index}`,
      remoteNode: 7,
      requireAuth: true,
      blockedIps: Array.from({ length: 40 }, (_each, last) => `192.0.2.${last}`),
    }),
  );
  const state = stateOf(service(9, { pathLocation: '/', remoteNode: 7 }), ...services);
  const domains = state.domains.map((each) => ({ ...each, certificate, signIn: true }));
  const { files, faults } = rendered({ ...state, domains });
  expect(faults).toEqual([]);
  expect(await trial.ingress.check(files)).toEqual([]);
  expect(warningsOf(files)).not.toContain('could not build optimal');
});
