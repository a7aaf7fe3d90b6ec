import { availableParallelism } from 'node:os';
import { createBackendNames, partsOfName } from './backendNames.ts';
import { type Certificates, createCertificateShelf } from '../certificates/selfSigned.ts';
import type { IssuedCertificates } from '../certificates/renewal.ts';
import { createHstsPromises } from './hstsPromises.ts';
import { backendHosts, type Facts, ingressState, patternProblems, type PatternProblems } from './state.ts';
import { patternLines } from '../rules/bypassPatterns.ts';
import { namesWithoutDomain } from '../rules/domainName.ts';
import { objectKey, type ObjectKey } from '../rules/attempt.ts';
import { ownAddresses } from './backends.ts';
import { isClockWrong } from '../rules/wrongClock.ts';
import type { TunnelView } from '../tunnel/reconcile.ts';
import type { TunnelWatch } from '../tunnel/monitor.ts';
import type { CertificateState } from '../world.ts';
import type { DesiredState, Rendered, RenderOptions } from './render/desiredState.ts';
import { sharesOf } from './render/upstream.ts';
import { renderNginx } from './render/nginx.ts';
import type { Desired, Store } from '../store/store.ts';
import type { IngressLayout } from './nginx/ingress.ts';
import type { Names } from '../machine/names.ts';

/**
 * What the certificate of services without a domain is made for next to the gateway's own names. It stands first, so that
 * this is another certificate with another key than the console's; no domain has such a name. (At first it was for TCP
 * services alone.)
 */
export const SERVICES_CERTIFICATE_NAME = 'sallyport-tcp-services';
/**
 * The same of the certificate that the console has on a domain. Its key stays the console's on the next domain, and is never
 * that of a node which gets the domain afterwards: hosts that trust it send their tokens there.
 */
const CONSOLE_CERTIFICATE_NAME = 'sallyport-console';

// Node raises its own limit of open files to what the machine allows, and nginx inherits that: no directive for it.
const WORKER_CONNECTIONS = 16_384;

export type PreparationParts = {
  names: Names;
  store: Pick<Store, 'settings' | 'write'>;
  certificates: Certificates;
  /** Who of the nodes behind the tunnel was there at all. */
  nodes: Pick<TunnelWatch, 'neverConnected'>;
  /** Why visitors cannot be asked to sign in; null: they can. */
  signInProblem(): string | null;
  /** The certificates of the authority. */
  issued: Pick<IssuedCertificates, 'get' | 'problem' | 'pending' | 'forget'>;
  options: Pick<
    RenderOptions,
    'listen' | 'ports' | 'publicHost' | 'publicHttpsPort' | 'trustedProxies' | 'wiredoorClients'
  > & {
    /** The ports that TCP and UDP services may have, both ends included. */
    tcpPorts: Facts['tcpPorts'];
    /** How many connections each worker of nginx has room for. */
    connections?: number;
    /** The names and addresses by which the console's own port is reached. */
    ownNames: readonly string[];
    /** The gateway's own names, in lower case, by which services without a domain are reached. */
    hostNames: readonly string[];
    /** Another name by which they are reached, unless a domain has it. */
    machineName?: string;
  };
  log: Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>;
  now(): Date;
};

/** The rows with all that has to be found out before they can be rendered. */
export type Prepared = {
  state: DesiredState;
  /** Why an object that is enabled cannot be served. */
  problems: Map<ObjectKey, string>;
  /** By the number of their domain. */
  certificates: ReadonlyMap<number, CertificateState>;
  /** Why a new generation may be needed though its files read the same: certificates, and who may sign in. */
  fingerprints: readonly string[];
  render(state: DesiredState): Rendered;
};

export type IngressPreparation = {
  /** How many connections the services of a remote node may have open in all workers that serve. */
  mostOfNode: number;
  prepare(desired: Desired, layout: IngressLayout, tunnel: TunnelView): Promise<Prepared>;
  /** Has every certificate looked at again, and made again where that does not help. */
  forgetCertificates(): void;
  /** Removes the keys of domains that are gone, once nginx serves none of them any more. */
  discardCertificates(desired: Desired): Promise<void>;
  stop(): void;
};

/** A timer of more than some weeks rings at once, and a clock may be set. */
const LOOK_AGAIN_MS = 3_600_000;
/** A clock that is wrong is set soon, and then there is much to be made right. */
const LOOK_AGAIN_WRONG_MS = 10_000;

/** @param changed called when a backend's name leads somewhere else, or what a domain promises is another */
export function createIngressPreparation(parts: PreparationParts, changed: () => void): IngressPreparation {
  /** The gateway's own address in the tunnel. */
  let tunnelAddress = '';
  const names = createBackendNames((name) => {
    const { host, server } = partsOfName(name);
    return server === null ? parts.names.resolve(host) : parts.names.resolve(host, { server, from: tunnelAddress });
  }, changed);
  const shelf = createCertificateShelf(parts.certificates, parts.now);
  const hsts = createHstsPromises(parts);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let knownPatterns: PatternProblems = new Map();
  const workers = availableParallelism();
  const connections = parts.options.connections ?? WORKER_CONNECTIONS;
  const { httpNode, portsOfNode } = sharesOf(connections);

  /** What the authority has issued for a domain, and what is amiss with that. */
  const issuedFor = async ({ domain, ssl }: Desired['domains'][number]) => {
    if (ssl !== 'certbot') return { pair: null, problem: null, pending: null };
    const pair = await parts.issued.get(domain).catch((error: unknown) => {
      parts.log.warn({ domain, error: String(error) }, 'a certificate could not be read');
      return null;
    });
    return { pair, problem: parts.issued.problem(domain, pair), pending: parts.issued.pending(domain, pair) };
  };

  /** What a domain promises grows with time, and ends with its certificate; the gateway's own ones are renewed in time. */
  const lookAgainAt = (at: number): void => {
    clearTimeout(timer);
    // A generation may still be under way then.
    if (stopped) return;
    const most = isClockWrong(parts.now()) ? LOOK_AGAIN_WRONG_MS : LOOK_AGAIN_MS;
    timer = setTimeout(changed, Math.min(Math.max(at - parts.now().getTime(), 1000), most));
    timer.unref();
  };

  /** A certificate for every domain, and why it is not the one that was asked for. */
  const certificatesOf = async ({ domains, httpServices }: Desired) => {
    const consoleDomain = httpServices.find(({ builtin }) => builtin)?.domain;
    const notes = new Map<ObjectKey, string>();
    const states = new Map<number, CertificateState>();
    const promised = new Map<number, number | null>();
    let endsAt = Number.POSITIVE_INFINITY;
    const entries = domains.map(async (row) => {
      const { domain } = row;
      const { pair, problem, pending } = await issuedFor(row);
      if (problem !== null) notes.set(objectKey('domain', row.id), problem);
      states.set(row.id, { pending, certificateEndsAt: pair?.notAfter.toISOString() ?? null });
      const isTrusted = pair !== null && pair.notAfter > parts.now();
      promised.set(row.id, hsts.secondsOf(row, isTrusted));
      if (isTrusted && row.hsts) endsAt = Math.min(endsAt, pair.notAfter.getTime());
      if (pair !== null) return [domain, pair] as const;
      const certified = domain === consoleDomain ? [CONSOLE_CERTIFICATE_NAME, domain] : [domain];
      const certificate = await shelf.get(certified).catch((error: unknown) => {
        parts.log.warn({ domain, error: String(error) }, 'a certificate could not be made');
        // Node says it by the code, openssl in words.
        const isFull = /ENOSPC|no space left/i.test(String(error));
        const reason = isFull
          ? ': the disk of the data directory is full. Free some space on it'
          : '; the log of the gateway says why';
        return { problem: `A certificate for it could not be made${reason}. It is tried again by itself.` };
      });
      // The one that stands in for the authority's is not the one that is wanted.
      if (row.ssl === 'self-signed' && 'notAfter' in certificate) {
        states.set(row.id, { pending, certificateEndsAt: certificate.notAfter.toISOString() });
      }
      return [domain, certificate] as const;
    });
    const certificates = new Map(await Promise.all(entries));
    lookAgainAt(Math.min(endsAt, hsts.nextAt()));
    return { certificates, notes, states, promised };
  };

  return {
    mostOfNode: workers * (httpNode + portsOfNode),
    async prepare(desired, layout, tunnel) {
      const now = parts.now();
      tunnelAddress = tunnel.gateway;
      await hsts.load();
      // Names of this very machine would make it one of the console's, whose key outlives another name.
      const publicNames = parts.options.ownNames.filter((name) => !['127.0.0.1', '::1'].includes(name));
      const [resolutions, own, ofServices, { certificates, notes, states, promised }] = await Promise.all([
        names.resolveAll(backendHosts(desired, now, tunnel)),
        shelf.get(parts.options.ownNames),
        shelf.get([SERVICES_CERTIFICATE_NAME, ...publicNames]),
        certificatesOf(desired),
      ]);
      const problems = new Map(notes);
      for (const [id, problem] of tunnel.problems) problems.set(objectKey('node', id), problem);
      const api = desired.httpServices.find(({ builtin }) => builtin)?.backendPort;
      const ownPorts = new Set([...Object.values(parts.options.ports), ...(api === undefined ? [] : [api])]);
      knownPatterns = patternProblems(desired.httpServices, knownPatterns);
      const state = ingressState(desired, {
        now,
        resolutions,
        certificates,
        isOwn: ownAddresses(),
        ownPorts,
        tcpPorts: parts.options.tcpPorts,
        tunnel,
        neverConnected: parts.nodes.neverConnected,
        hstsOf: (id) => promised.get(id) ?? null,
        hasStream: layout.hasStream,
        signInProblem: parts.signInProblem(),
        patternProblems: knownPatterns,
        blame: (kind, id, problem) => void problems.set(objectKey(kind, id), problem),
      });
      const options: RenderOptions = {
        ...parts.options,
        connections,
        answersTo: namesWithoutDomain(parts.options),
        layout,
        certificate: own,
        servicesCertificate: ofServices,
        workers,
      };
      const fingerprints = [own, ofServices, ...certificates.values()].flatMap((pair) =>
        'problem' in pair ? [] : [pair.fingerprint256],
      );
      // nginx is not told who may sign in. But only in workers on their way out can connections of visitors who may not
      // any more be told from those that came since.
      for (const { authentication, id, allowedEmails } of desired.domains) {
        if (authentication) fingerprints.push(JSON.stringify([id, allowedEmails]));
      }
      // Nor which patterns need no sign-in.
      for (const { requireAuth, id, skipAuthRoutes } of desired.httpServices) {
        const patterns = requireAuth ? patternLines(skipAuthRoutes) : [];
        if (patterns.length > 0) fingerprints.push(JSON.stringify([id, patterns]));
      }
      return { state, problems, certificates: states, fingerprints, render: (part) => renderNginx(part, options) };
    },
    forgetCertificates() {
      shelf.forget();
      parts.issued.forget();
    },
    async discardCertificates({ domains }) {
      await hsts.keep(domains);
      const kept = [
        ...parts.options.ownNames.slice(0, 1),
        SERVICES_CERTIFICATE_NAME,
        CONSOLE_CERTIFICATE_NAME,
        ...domains.map(({ domain }) => domain),
      ];
      await shelf.keepOnly(kept).catch((error: unknown) => {
        parts.log.warn({ error: String(error) }, 'certificates of deleted domains could not be removed');
      });
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      names.stop();
    },
  };
}
