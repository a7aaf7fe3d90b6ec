import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type CertificateAuthority,
  openCertificateAuthority,
} from '../../packages/gateway/src/testing/certificateAuthority.ts';
import { makeOwnNames, type OwnNames } from '../support/ownNames.ts';
import { freePorts } from '../../packages/gateway/src/testing/freePorts.ts';
import { until } from '../support/fault.ts';
import { type GatewayProcess, signedIn, startGateway } from '../support/gateway.ts';

const HOST = 'app.example.test';
const LIMIT_MS = 60_000;
const TEST_LIMIT_MS = 150_000;
let authority: CertificateAuthority;
/** Its root. */
let ca: string;
let gateway: GatewayProcess;
let names: OwnNames | null;

beforeAll(async () => {
  names = await makeOwnNames();
  const [httpPort = 0] = await freePorts(1);
  authority = await openCertificateAuthority({ httpPort });
  await authority.start();
  ca = await authority.root();
  await names?.set([HOST]);
  gateway = await startGateway({
    ...(names !== null && { launcher: names.launcher }),
    env: {
      SALLYPORT_HTTP_PORT: String(httpPort),
      SALLYPORT_ACME_URL: authority.directory,
      REQUESTS_CA_BUNDLE: authority.caFile,
    },
  });
});
afterAll(async () => {
  await gateway?.close();
  await authority?.close();
  await names?.remove();
});

/** Whether someone who trusts the authority's root alone trusts what the name's visitors are shown. */
async function isTrusted(): Promise<boolean> {
  const to = { host: '127.0.0.1', port: gateway.ports.https, servername: HOST, rejectUnauthorized: false, ca };
  const socket = connect(to);
  await once(socket, 'secureConnect');
  const { authorized } = socket;
  socket.destroy();
  return authorized;
}

/** The certbots that work for this gateway. */
const certbots = (): string[] =>
  readdirSync('/proc').filter((name) => {
    try {
      return (
        /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`--config-dir=${gateway.data}`)
      );
    } catch {
      return false;
    }
  });

test(
  'a certificate that was being obtained when the gateway was killed is had after the next start',
  async ({ skip }) => {
    if (names === null) skip('only root can give a program a hosts file of its own');
    const issued = path.join(gateway.data, 'secrets/issued');
    const { client } = await signedIn(gateway);
    // No certificate is there before the gateway is killed, and its answer is lost with it.
    authority.pause();
    const answer = client.domain.create({ body: { domain: HOST, ssl: 'certbot' } }).catch(() => null);
    await until('certbot runs', LIMIT_MS, () => certbots().length > 0);
    const orphans = certbots();
    await gateway.end('SIGKILL');
    await answer;
    expect(await isTrusted()).toBe(false);
    authority.goOn();
    await gateway.start();
    const { client: next } = await signedIn(gateway);
    const [domain] = (await next.domain.list({ query: { page: 1, limit: 10 } })).data;
    expect(domain?.ssl).toBe('certbot');
    await until('it has its certificate', LIMIT_MS, async () => {
      const { pending, problem } = await next.domain.get({ params: { id: domain?.id ?? 0 } });
      return pending === null && problem === null;
    });
    await until('its visitors are shown it', LIMIT_MS, isTrusted);
    expect(certbots().filter((pid) => orphans.includes(pid))).toEqual([]);
    expect(readdirSync(issued).toSorted()).toEqual(['certbot', 'pairs']);
  },
  TEST_LIMIT_MS,
);
