import { formatBytes, formatRelative } from '@sallyport/sdk/format';
import { printable } from '@sallyport/sdk/lines';
import type { HttpService } from '@sallyport/sdk/contract';
import { LOOPBACK, portName } from '../host/loopback.ts';
import type { HostStatus, Link } from '../host/status.ts';
import type { Io, Tone } from '../io.ts';
import { closedByTime } from './columns.ts';
import { type Column, tableLines } from './table.ts';

const WORDS: Record<Link, { text: string; tone: Tone }> = {
  unconfigured: { text: 'This host is not a node of a gateway.', tone: 'dim' },
  down: { text: 'not connected', tone: 'red' },
  waiting: { text: 'the tunnel is up, but the gateway does not answer through it', tone: 'yellow' },
  up: { text: 'connected', tone: 'green' },
};

type Row = { type: string; name: string; state: string; tone: Tone; access: string; target: string };

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'TYPE', text: ({ type }) => type },
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true },
  { heading: 'STATE', text: ({ state }) => state, tone: ({ tone }) => tone },
  { heading: 'PUBLIC', text: ({ access }) => access, mayShrink: true },
  { heading: 'TARGET', text: ({ target }) => target, mayShrink: true },
];

/** The status of this host as lines for people. */
export function hostStatusLines(status: HostStatus, now: Date, width: number, paint: Io['paint']): string[] {
  const { text, tone } = WORDS[status.link];
  if (status.link === 'unconfigured') return [text];
  const { node, tunnel } = status;
  const isAlone = status.link === 'up' && node === null;
  const fact = (name: string, value: string, inTone?: Tone) =>
    `${`${name}:`.padEnd(11)}${inTone ? paint(inTone, value) : value}`;
  const endpoint = tunnel?.endpoint ? `, ${tunnel.endpoint}` : '';
  const lines = [
    isAlone
      ? fact('Status', 'the tunnel is up, but the gateway did not say how this node is', 'yellow')
      : fact('Status', node?.enabled === false ? `${text}; the administrator has disabled this node` : text, tone),
    fact('Gateway', `${printable(status.url ?? '')}${endpoint}`),
    ...(node
      ? [fact(node.isGateway ? 'As gateway' : 'Node', `${printable(node.name)} (${printable(node.address)})`)]
      : []),
    ...(node?.isGateway ? [fact('Subnets', subnets(node.gatewayNetworks))] : []),
    ...(tunnel?.isUp
      ? [
          fact(
            'Handshake',
            tunnel.latestHandshakeTimestamp === null
              ? 'none yet'
              : formatRelative(tunnel.latestHandshakeTimestamp, now),
          ),
          fact('Received', formatBytes(tunnel.transferRx)),
          fact('Sent', formatBytes(tunnel.transferTx)),
        ]
      : []),
    ...(status.gatewayProblem ? [fact('Problem', printable(status.gatewayProblem), 'yellow')] : []),
    ...(node?.problem ? [fact('Problem', printable(node.problem), 'yellow')] : []),
    ...loopbackFacts(status.loopback ?? []).map((each) => fact(...each)),
  ];
  if (!node) return lines;
  const rows = rowsOf(node);
  return [
    ...lines,
    '',
    ...(rows.length > 0 ? tableLines(COLUMNS, rows, width, paint) : ['No services are exposed yet.']),
  ];
}

/** What of this host's loopback address the gateway reaches, and what of it a service leads to in vain. */
function loopbackFacts(ports: NonNullable<HostStatus['loopback']>): [name: string, value: string, tone?: Tone][] {
  const named = (port: (typeof ports)[number]) => `${portName(port)} (${printable(port.name)})`;
  const forwarded = ports.filter((port) => port.forwarded).map(named);
  return [
    ...(forwarded.length > 0 ? [['Forwarded', `${forwarded.join(', ')} to ${LOOPBACK}`] as [string, string]] : []),
    ...ports
      .filter((port) => !port.forwarded)
      .map((port): [string, string, Tone] => [
        'Refused',
        `${named(port)} listens on ${LOOPBACK} alone; if visitors are meant to reach it: ${port.command}`,
        'yellow',
      ]),
  ];
}

const subnets = (networks: NonNullable<HostStatus['node']>['gatewayNetworks']) =>
  printable((networks ?? []).map((each) => `${each.subnet} by ${each.interface}`).join(', '));

function rowsOf({ httpServices, tcpServices }: NonNullable<HostStatus['node']>): Row[] {
  const state = (service: Pick<HttpService, 'enabled' | 'closedAt' | 'closedBy' | 'problem' | 'health'>) => {
    const closed = closedByTime(service)?.toLowerCase();
    if (!service.enabled || closed) return { state: closed ?? 'closed', tone: 'dim' as const };
    if (service.problem !== null) return { state: 'problem', tone: 'red' as const };
    if (service.health === 'down') return { state: 'no answer', tone: 'yellow' as const };
    return { state: 'open', tone: 'green' as const };
  };
  return [
    ...httpServices.map((service) => ({
      type: 'http',
      name: service.name,
      ...state(service),
      access: service.publicAccess,
      target: `${service.backendProto}://${service.backendHost ?? 'localhost'}:${service.backendPort}`,
    })),
    ...tcpServices.map((service) => ({
      type: service.proto,
      name: service.name,
      ...state(service),
      access: service.publicAccess,
      target: `${service.backendHost ?? 'localhost'}:${service.backendPort}`,
    })),
  ];
}
