import { domainToASCII } from 'node:url';
import { field, parseNetwork } from '@sallyport/sdk/contract';
import {
  CERTIFICATE_NOTE,
  hostNotes,
  HSTS_NOTE,
  HSTS_OFF_NOTE,
  type ImportPlan,
  type PlannedDomain,
  targetFault,
} from './importPlan.ts';
import { dayOf, type FoundPair } from './issuedPairs.ts';
import { overlaps } from '../rules/ipNetwork.ts';
import type { NpmAccessList, NpmData, NpmHost, NpmStream, NpmTarget } from './npmDatabase.ts';

const PRODUCT = 'Nginx Proxy Manager';

/** What the machine has, next to the database. */
type Surroundings = {
  tcpPorts: { from: number; to: number };
  /** The pair of a directory in `live` of its certbot. */
  pairOf(lineage: string, domain: string): FoundPair;
};

/** What becomes of the hosts and streams of a Nginx Proxy Manager. Nothing that is protected there is open here. */
export function planNpm(data: NpmData, { tcpPorts, pairOf }: Surroundings): ImportPlan {
  const plan: ImportPlan = { domains: [], services: [], left: [] };
  // The one that is served goes first, where a name is there twice.
  const hosts = data.hosts.toSorted((one, other) => Number(other.isEnabled) - Number(one.isEnabled));
  const taken = new Set<string>();
  for (const host of hosts) {
    for (const written of host.names) {
      const domain = domainToASCII(written.toLowerCase());
      if (written.includes('*')) plan.left.push({ what: written, why: 'names with * cannot be served yet' });
      else if (!field.domainName.safeParse(domain).success)
        plan.left.push({ what: written, why: 'it is no name of a domain' });
      else if (taken.has(domain)) plan.left.push({ what: written, why: 'another proxy host has the same name' });
      else {
        const before = plan.services.length;
        planHost(plan, host, domain);
        if (plan.services.length > before) plan.domains.push(domainOf(host, domain, pairOf));
      }
      taken.add(domain);
    }
  }
  for (const stream of data.streams) planStream(plan, stream, tcpPorts);
  for (const names of data.redirections)
    plan.left.push({ what: names.join(', '), why: 'redirections are not served yet' });
  for (const names of data.deadHosts) {
    plan.left.push({ what: names.join(', '), why: 'a name without a service answers 421 here, without any setting' });
  }
  if (data.defaultSite !== null) {
    plan.left.push({ what: `default site (${data.defaultSite})`, why: 'unknown names answer 421 here' });
  }
  return plan;
}

function planHost(plan: ImportPlan, host: NpmHost, domain: string): void {
  const access = accessOf(host.accessList);
  const closedBy = [
    host.isEnabled ? null : 'it was disabled there',
    host.refusal === null ? null : `it did not run there: ${host.refusal}`,
    access.closed,
    host.hasOwnText || host.locations.some((location) => location.hasOwnText && !isPlain(location.path))
      ? 'it has nginx text of its own, which may protect it: look at it, then open the service'
      : null,
  ].find((reason) => reason !== null);
  const notes = [
    ...access.notes,
    ...(host.switches.caching ? ['files were cached there'] : []),
    ...(host.switches.blockExploits ? ['patterns of attacks were refused there'] : []),
    ...(host.switches.trustsForwardedProto
      ? ['it believed a proxy in front of it: name that one in SALLYPORT_TRUSTED_PROXIES, if it stays']
      : []),
  ];
  const add = (target: NpmTarget, pathLocation: string, closed: string | null): void => {
    const what = `${domain}${pathLocation === '/' ? '' : pathLocation}`;
    const fault = targetFault(target);
    if (fault !== null || !/^https?$/.test(target.scheme)) {
      plan.left.push({ what, why: fault ?? `${target.scheme} is no way to speak to a backend` });
      return;
    }
    plan.services.push({
      kind: 'http',
      title: `https://${what} → ${target.scheme}://${target.host}:${target.port}`,
      body: {
        name: what.slice(0, 200),
        domain,
        pathLocation,
        backendProto: target.scheme as 'http' | 'https',
        backendHost: target.host,
        backendPort: target.port,
        ...access.lists,
      },
      closed,
      notes: [...hostNotes(target.host, PRODUCT), ...(pathLocation === '/' ? notes : [])],
    });
  };
  const own = host.locations.find(({ path }) => path === '/');
  add(own ?? host, '/', closedBy ?? (own?.hasOwnText === true ? 'its location has nginx text of its own' : null));
  for (const location of host.locations.filter(({ path }) => path !== '/')) {
    const what = `${domain}${location.path}`;
    if (!isPlain(location.path)) {
      plan.left.push({ what, why: 'only plain paths can be taken in; the host itself answers there' });
      continue;
    }
    if (location.host.includes('/')) plan.left.push({ what, why: 'its path is changed on the way to the backend' });
    else add(location, location.path, closedBy ?? (location.hasOwnText ? 'it has nginx text of its own' : null));
  }
}

/** The certificate and the promises of a name. */
function domainOf(
  { certificate, switches: { hsts: wasPromised, forcesHttps } }: NpmHost,
  domain: string,
  pairOf: Surroundings['pairOf'],
): PlannedDomain {
  const found = certificate?.isLetsEncrypt === true ? pairOf(certificate.lineage, domain) : null;
  const pair = found !== null && 'pair' in found ? found : null;
  const hsts = wasPromised && certificate !== null;
  const notes = [];
  if (pair !== null) {
    notes.push(
      `its certificate goes along, until ${dayOf(pair.endsAt)}; from 30 days before, the next one is asked for`,
    );
  } else if (certificate === null) {
    notes.push('it had no certificate: visitors are led to HTTPS, with a self-signed one');
  } else {
    const why = found !== null && 'why' in found ? found.why : 'certificates cannot be uploaded to this gateway';
    notes.push(`${why}: ${CERTIFICATE_NOTE}`);
  }
  if (certificate !== null && !forcesHttps) notes.push('plain HTTP was served there; here it leads to HTTPS');
  if (!hsts) notes.push(HSTS_OFF_NOTE);
  else if (pair !== null) {
    notes.push('HSTS is on, as there, but for this name alone: for a day at first, for a year in the end');
  } else {
    notes.push(HSTS_NOTE);
  }
  return { domain, hsts, pair: pair?.pair ?? null, notes };
}

function planStream(plan: ImportPlan, stream: NpmStream, { from, to }: { from: number; to: number }): void {
  const { incomingPort, host, port } = stream;
  for (const proto of stream.protocols) {
    const isPort = Number.isInteger(incomingPort);
    const what = isPort ? `${proto} port ${incomingPort}` : `${proto} stream to ${host}:${port}`;
    const fault = isPort ? targetFault(stream) : 'its incoming port is no number';
    if (fault !== null) plan.left.push({ what, why: fault });
    else if (incomingPort < from || incomingPort > to) {
      plan.left.push({
        what,
        why: `it is outside of SALLYPORT_TCP_PORTS (${from}-${to}): change that setting, then import again`,
      });
    } else if (stream.certificate !== null && proto === 'tcp') {
      plan.left.push({
        what,
        why: 'TLS ended there: make a TCP service with TLS of it, which has the certificate of its domain',
      });
    } else {
      plan.services.push({
        kind: 'tcp',
        title: `${what} → ${host}:${port}`,
        body: {
          name: `${what} of Nginx Proxy Manager`,
          backendHost: host,
          backendPort: port,
          proto,
          port: incomingPort,
          allowedIps: null,
          blockedIps: null,
        },
        closed: stream.isEnabled ? null : 'it was disabled there',
        notes: hostNotes(host, PRODUCT),
      });
    }
  }
}

const isPlain = (path: string): boolean => /^\/[\w.~/-]*$/.test(path);

type Access = {
  lists: { allowedIps: string[] | null; blockedIps: string[] | null };
  closed: string | null;
  notes: string[];
};

/** nginx takes the first rule that fits, and refuses who fits none; here a block wins over an allowance. */
function accessOf(list: NpmAccessList | null): Access {
  const open: Access = { lists: { allowedIps: null, blockedIps: null }, closed: null, notes: [] };
  if (list === null) return open;
  const name = JSON.stringify(list.name);
  const [allowed, blocked]: [string[], string[]] = [[], []];
  let isOpenToRest = list.rules.length === 0;
  const notes: string[] = [];
  for (const { directive, address } of list.rules) {
    const isAllowed = directive === 'allow';
    if (address === 'all') {
      isOpenToRest = isAllowed;
      break;
    }
    if (parseNetwork(address) === null || !['allow', 'deny'].includes(directive)) {
      return { ...open, closed: `its access list ${name} has a rule that cannot be read: ${directive} ${address}` };
    }
    if (isAllowed) allowed.push(address);
    else {
      if (allowed.some((other) => overlaps(other, address))) {
        notes.push(`${address} is refused as a whole, also where the access list ${name} allows a part of it before`);
      }
      blocked.push(address);
    }
  }
  const lists = {
    allowedIps: isOpenToRest ? null : allowed,
    blockedIps: blocked.length === 0 ? null : blocked,
  };
  if (!isOpenToRest && allowed.length === 0) return { ...open, closed: `its access list ${name} lets no one in` };
  const closed = list.hasPasswords ? `its access list ${name} asks for a password, which this gateway does not` : null;
  return { lists, closed, notes };
}
