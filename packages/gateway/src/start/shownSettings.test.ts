import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../config.ts';
import { shownSettings, type StartedWith } from './shownSettings.ts';

const started: StartedWith = {
  address: { host: 'gw.example.test', source: 'machine' },
  dataDirectory: '/data',
  ports: { http: 8080, https: 8443 },
  authority: 'https://acme.example.test/directory',
  logLevel: 'info',
};
const shownOf = (env: Record<string, string>, more: Partial<StartedWith> = {}) =>
  new Map(shownSettings(readConfig(env), { ...started, ...more }).map((one) => [one.name, one]));

it('leaves passwords and keys out of addresses', () => {
  const secret = 'hunter2hunter2';
  const shown = shownOf(
    {
      SALLYPORT_OIDC_ISSUER: `https://user:${secret}@id.example.test/realm?key=${secret}`,
      SALLYPORT_ADMIN_PASSWORD: secret,
    },
    { authority: `https://${secret}@acme.example.test/directory` },
  );
  expect(shown.get('SALLYPORT_OIDC_ISSUER')?.value).toBe('https://id.example.test/realm');
  expect(shown.get('SALLYPORT_ACME_URL')?.value).toBe('https://acme.example.test/directory');
  expect(JSON.stringify([...shown.values()])).not.toContain(secret);
});

it('counts a secret in a file as said by the environment', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-settings-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'secret');
  writeFileSync(file, 'whispered\n');
  const shown = shownOf({ SALLYPORT_OIDC_CLIENT_SECRET_FILE: file });
  expect(shown.get('SALLYPORT_OIDC_CLIENT_SECRET')).toMatchObject({ value: 'set', source: 'environment' });
  expect(JSON.stringify([...shown.values()])).not.toContain('whispered');
});

it('says who decided on the public address', () => {
  const of = (env: Record<string, string>, source: 'machine' | 'setting' | 'environment') =>
    shownOf(env, { address: { host: 'gw.example.test', source } }).get('SALLYPORT_VPN_HOST');
  expect(of({}, 'machine')).toMatchObject({ source: 'default', changeable: true });
  expect(of({}, 'setting')).toMatchObject({ source: 'stored', changeable: true });
  expect(of({ SALLYPORT_VPN_HOST: 'gw.example.test' }, 'environment')).toMatchObject({
    source: 'environment',
    changeable: false,
  });
});
