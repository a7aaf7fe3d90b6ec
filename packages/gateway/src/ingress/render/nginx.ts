import { isFronted } from './trustedProxies.ts';
import { configText } from './configText.ts';
import type {
  CertificateFiles,
  ConfigFile,
  DesiredState,
  Owner,
  Rendered,
  RenderFault,
  RenderOptions,
} from './desiredState.ts';
import { attempt } from '../../rules/attempt.ts';
import { fittingDomains, writeConsole, writeDefault, writeDomain } from './domain.ts';
import { writeMain } from './main.ts';
import { createShared, planServices, writeShared } from './service.ts';
import { listenersOf, planTcpServices, tcpAddresses, writeTcpServices } from './tcpService.ts';

/** The file that nginx is started with. */
export const MAIN_FILE = 'nginx.conf';
const TCP_FILE = 'tcp.conf';
const SHARED_FILE = 'shared.conf';
/** All of them in one: to make a file of its own for each takes longer than to write what stands in them. */
const DOMAINS_FILE = 'domains.conf';

/**
 * Renders the whole ingress: one server for each domain with its services as locations, one for hosts without a domain,
 * one for the console, and one for each port of a TCP or UDP service. An object that cannot be rendered as saved is named in `faults`; everything else stands.
 * @throws {UnquotableError} only when `options` themselves cannot be written
 */
export function renderNginx(state: DesiredState, options: RenderOptions): Rendered {
  const owners: Owner[] = [];
  const faults: RenderFault[] = [];
  const files: ConfigFile[] = [];
  const byDomain = Map.groupBy(state.httpServices, ({ domain }) => domain);
  const write = (path: string, content: (out: ReturnType<typeof configText>) => void): void => {
    const added: Owner[] = [];
    const out = configText(path, added);
    content(out);
    files.push(out.file());
    owners.push(...added);
  };

  const shared = createShared();
  const place = { shared, isFronted: isFronted(options) };
  const domains = fittingDomains(state.domains, faults);
  const open = new Set<string>();
  const closed = new Set<string>();
  write(DOMAINS_FILE, (out) => {
    for (const domain of domains) {
      (domain.closed ? closed : open).add(domain.domain);
      const plans = planServices(byDomain.get(domain.domain) ?? [], faults, { ...place, signIn: domain.signIn });
      const blame = (reason: string): void => void faults.push({ kind: 'domain', id: domain.id, reason, own: true });
      attempt(() => out.atomic(() => writeDomain(out, domain, plans, shared.spellings, options)), blame);
      for (const path of domain.closed ? [] : certificatePaths(domain.certificate)) {
        owners.push({ kind: 'domain', id: domain.id, path });
      }
    }
  });
  for (const { id, domain, enabled, closed: own } of state.httpServices) {
    if (domain === null || open.has(domain) || (closed.has(domain) && (!enabled || own))) continue;
    const reason = `Its domain ${domain} cannot be served; the domain says why.`;
    faults.push({ kind: 'httpService', id, reason, own: false });
  }

  // The console's service guards the console's own port too, whatever its domain.
  const builtin = state.httpServices.filter((service) => service.builtin).slice(0, 1);
  const [console] = planServices(builtin, builtin[0]?.domain === null ? faults : [], { ...place, signIn: false });
  const others = (byDomain.get(null) ?? []).filter((service) => !service.builtin);
  const { wiredoorClients } = options;
  const withoutDomain = planServices(others, faults, { ...place, signIn: false, wiredoorClients });
  write('default.conf', (out) => writeDefault(out, withoutDomain, console ?? null, shared.spellings, options));
  write('console.conf', (out) => writeConsole(out, console ?? null, options));
  write(SHARED_FILE, (out) => writeShared(out, shared, options.connections));
  const http = files.map(({ path }) => path);

  const tcpPlans = planTcpServices(state, options, faults);
  if (tcpPlans.length > 0) write(TCP_FILE, (out) => writeTcpServices(out, tcpPlans, options));
  for (const plan of tcpPlans) {
    for (const address of tcpAddresses(plan, options)) owners.push({ kind: 'tcpService', id: plan.id, address });
  }
  const tcp = tcpPlans.length === 0 ? null : { path: TCP_FILE, listeners: listenersOf(tcpPlans, options) };
  write(MAIN_FILE, (out) => writeMain(out, options, { http, tcp }));
  return { files, owners, faults };
}

const certificatePaths = ({ certificate, key }: CertificateFiles): string[] => [...new Set([certificate, key])];
