import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type CertificateAuthority, openCertificateAuthority } from '../testing/certificateAuthority.ts';
import { freePorts } from '../testing/freePorts.ts';
import { testAuthority } from './testAuthority.ts';

// An authority of one's own: it is trusted as certbot is told to trust it.

let authority: CertificateAuthority;
beforeAll(async () => {
  const [httpPort = 0] = await freePorts(1);
  authority = await openCertificateAuthority({ httpPort });
  await authority.start();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await authority?.close();
});

const asked = () => testAuthority({ authority: authority.directory, availability: () => ({ available: true }) });

it('says that no one vouches for its certificate, until someone does', async () => {
  const { host } = new URL(authority.directory);
  const { works, text } = await asked();
  expect([works, text]).toEqual([false, expect.stringMatching(`^The certificate of ${host} is not trusted`)]);
  vi.stubEnv('REQUESTS_CA_BUNDLE', authority.caFile);
  expect(await asked()).toEqual({ works: true, text: expect.stringMatching(`^${host} answers`) });
});
