import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { type Certificates, directoryName } from '../certificates/selfSigned.ts';
import { createFakeCertificateIssuer, type FakeCertificateIssuer } from './fakeCertificateIssuer.ts';
import { createFakeConnections, createFakeIngress, type FakeConnections, type FakeIngress } from './fakeIngress.ts';
import { createFakeLogSource, type FakeLogSource } from './fakeLogSource.ts';
import { createFakeTunnel, type FakeTunnel } from './fakeTunnel.ts';
import { type DnsAnswer, type NameServers, NO_ADDRESS } from '../dns/nameServers.ts';
import { NameError, type Names } from '../machine/names.ts';
import { createMemoryVault, type KeyVault } from '../vault/keyVault.ts';
import type { System } from '../start/system.ts';
import type { World } from '../world.ts';
import { testTunnelServer } from './fakeTunnel.ts';

/** Names that a test decides on. */
export type FakeNames = Names & { set(host: string, addresses: readonly string[]): void };

type Answering = (name: string) => Partial<DnsAnswer> | Promise<Partial<DnsAnswer>>;
/** Name servers that answer what a test has them answer; by default every name leads to the gateway. */
export type FakeNameServers = NameServers & { answer(answering: Answering): void };

/** The public address of a test gateway. */
export const PUBLIC_ADDRESS = '203.0.113.1';

/** A world in memory: no files, no processes, no network. */
export type FakeSystem = System & {
  ingress: FakeIngress;
  openConnections: FakeConnections;
  logs: FakeLogSource;
  names: FakeNames;
  nameServers: FakeNameServers;
  issuer: FakeCertificateIssuer;
  tunnel: FakeTunnel;
};

/** @param now the time that its authority goes by */
export function createFakeSystem(now?: () => Date, vault: KeyVault = createMemoryVault()): FakeSystem {
  return {
    ingress: createFakeIngress(),
    openConnections: createFakeConnections(),
    logs: createFakeLogSource(),
    certificates: createFakeCertificates(now),
    issuer: createFakeCertificateIssuer(now),
    names: createFakeNames(),
    nameServers: createFakeNameServers(),
    tunnel: createFakeTunnel(),
    vault,
    lastBackup: () => null,
  };
}

/** `localhost` and the test gateway are known from the start. */
function createFakeNames(): FakeNames {
  const known = new Map<string, readonly string[]>([
    ['localhost', ['127.0.0.1']],
    [testTunnelServer.host, [PUBLIC_ADDRESS]],
  ]);
  return {
    set: (host, addresses) => known.set(host, addresses),
    resolve: (host) => {
      const addresses = isIP(host) === 0 ? (known.get(host) ?? []) : [host];
      if (addresses.length === 0) return Promise.reject(new NameError(`The name ${host} is not known.`));
      return Promise.resolve([...addresses]);
    },
  };
}

function createFakeNameServers(): FakeNameServers {
  let answering: Answering = () => ({ a: [PUBLIC_ADDRESS] });
  return {
    answer: (next) => void (answering = next),
    async ask(name) {
      const answer = { nameServers: ['192.0.2.53'], cnames: [], a: [], aaaa: [], ...(await answering(name)) };
      return { failure: answer.a.length + answer.aaaa.length > 0 ? null : NO_ADDRESS, ...answer };
    },
  };
}

/** What is said of domains where no name is looked up: all of them lead to the gateway. */
export const leadsHere: World['dns'] = {
  check: (domain) =>
    Promise.resolve({
      domain,
      state: 'here',
      text: 'The name leads to this gateway.',
      checkedAt: new Date(0).toISOString(),
      nameServers: [],
      cnames: [],
      a: [PUBLIC_ADDRESS],
      aaaa: [],
      isPrivate: false,
      expectedHost: PUBLIC_ADDRESS,
      expected: [PUBLIC_ADDRESS],
      records: [],
    }),
  last: () => ({ dnsState: 'here', dnsCheckedAt: new Date(0).toISOString() }),
};

/** As long as those of openssl. */
const FAKE_VALID_MS = 825 * 86_400_000;

/** The same names always have the same fingerprint. */
function createFakeCertificates(now: () => Date = () => new Date()): Certificates {
  return {
    ensureSelfSigned: (names) => {
      const file = `/fake/secrets/certificates/${directoryName(names[0] ?? '')}/pair.pem`;
      const hash = createHash('sha256').update(JSON.stringify(names)).digest();
      const digest = hash.toString('hex').toUpperCase();
      const fingerprint256 = digest.match(/../g)?.join(':') ?? '';
      const notAfter = new Date(now().getTime() + FAKE_VALID_MS);
      return Promise.resolve({
        certificate: file,
        key: file,
        fingerprint256,
        keyPin: hash.toString('base64'),
        notAfter,
      });
    },
    keepOnly: () => Promise.resolve(),
  };
}
