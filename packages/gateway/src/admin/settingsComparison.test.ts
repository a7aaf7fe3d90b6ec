import { expect, it } from 'vitest';
import { compareSettings, differencesText } from './settingsComparison.ts';

const BACKUP = [
  'SALLYPORT_ADMIN_PASSWORD="what it was then"',
  'SALLYPORT_DATA="/srv/then"',
  'SALLYPORT_OIDC_CLIENT_SECRET="of then"',
  'SALLYPORT_TUNNEL="on"',
  'SALLYPORT_VPN_HOST="gateway.example.com"',
  'SALLYPORT_VPN_PORT="51821"',
  'SALLYPORT_HOST_NAMES="a\\u001b[2J\u009b2J"',
  'SALLYPORT_VPN_SUBNET=no JSON',
  'OTHER="x"',
  '',
].join('\n');
const HERE = {
  SALLYPORT_OIDC_CLIENT_SECRET: 'of now',
  SALLYPORT_TUNNEL: 'on',
  SALLYPORT_VPN_PORT: '51820',
  SALLYPORT_ACME_EMAIL: 'ops@example.com',
  SALLYPORT_DATA: '/srv/now',
};

it('names each setting that differs, and of a secret only that', () => {
  const text = differencesText(compareSettings(BACKUP, HERE), '/srv/now').join('\n');
  expect(text).toContain('\n  Set there, not here: SALLYPORT_VPN_HOST=gateway.example.com\n');
  expect(text).toContain('\n  Different: SALLYPORT_VPN_PORT=51821 there, 51820 here\n');
  expect(text).toContain('\n  Set here, not there: SALLYPORT_ACME_EMAIL=ops@example.com\n');
  expect(text).toContain('\n  Set there, not here: SALLYPORT_ADMIN_PASSWORD (a secret)\n');
  expect(text).toContain('\n  Different: SALLYPORT_OIDC_CLIENT_SECRET (a secret)\n');
  expect(text).toMatch(
    /To take over what it is to have, and start: .*SALLYPORT_VPN_HOST=gateway\.example\.com.* npm start$/,
  );
  expect(text).not.toMatch(/of then"|of now|what it was then|SALLYPORT_DATA|SALLYPORT_TUNNEL|SALLYPORT_VPN_SUBNET/);
});

it('prints nothing that moves the cursor of a terminal', () => {
  const text = differencesText(compareSettings(BACKUP, HERE), '/srv/now').join('\n');
  expect(text).toContain(String.raw`SALLYPORT_HOST_NAMES=a\x1b[2J\x9b2J`);
  expect(text).toMatch(/^[\n\u0020-\u007e]*$/);
});

it('says so where there is no difference', () => {
  const differences = compareSettings('SALLYPORT_TUNNEL="on"\n', { SALLYPORT_TUNNEL: 'on', SALLYPORT_VPN_PORT: '' });
  expect(differences).toEqual([]);
  expect(differencesText(differences, '/srv')).toEqual(['The settings of then are those of this machine.']);
});
