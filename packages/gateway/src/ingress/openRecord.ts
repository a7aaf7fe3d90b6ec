import { type FormerService, type FormerServices, keyOf, type OpenServices } from './openServices.ts';

/** What is open, as it is noted for anyone who starts after this gateway. */
export function writeRecord(open: OpenServices): string {
  const noted = [...open.values()].map(({ row, ...service }): FormerService => ({
    kind: service.kind,
    id: service.id,
    publicPort: service.publicPort,
    proto: service.proto,
    addresses: service.addresses,
    remoteNode: service.remoteNode,
    visitors: service.visitors,
    row: {
      backendPort: row.backendPort,
      allowedIps: listOf(row.allowedIps),
      blockedIps: listOf(row.blockedIps),
      ...('skipAuthRoutes' in row && typeof row.skipAuthRoutes === 'string' && { skipAuthRoutes: row.skipAuthRoutes }),
    },
  }));
  return JSON.stringify(noted);
}

/** What was open, as far as it can be read; null when nothing was noted. */
export function readRecord(text: string | null): FormerServices | null {
  if (text === null) return null;
  try {
    const noted: unknown = JSON.parse(text);
    if (!Array.isArray(noted)) return null;
    // A row that was damaged by hand was noted with the rest.
    return new Map(noted.filter(isFormer).map((service) => [keyOf(service), service]));
  } catch {
    return null;
  }
}

/** A list that was damaged by hand is none. */
const listOf = (list: readonly string[] | null): string[] | null => (isTexts(list) ? list : null);

function isFormer(value: unknown): value is FormerService {
  const { kind, id, publicPort, proto, addresses, remoteNode = null, visitors, row } = fieldsOf(value);
  const { backendPort, allowedIps, blockedIps, skipAuthRoutes } = fieldsOf(row);
  return (
    (kind === 'httpService' || kind === 'tcpService') &&
    Number.isSafeInteger(id) &&
    (publicPort === null || Number.isSafeInteger(publicPort)) &&
    ['http', 'https', 'tcp', 'udp'].some((one) => one === proto) &&
    isTexts(addresses) &&
    (remoteNode === null || Number.isSafeInteger(remoteNode)) &&
    (visitors === 'everybody' || visitors === 'nobody' || isTextsOrNull(fieldsOf(visitors)['emails'])) &&
    Number.isSafeInteger(backendPort) &&
    isTextsOrNull(allowedIps) &&
    isTextsOrNull(blockedIps) &&
    (skipAuthRoutes === undefined || typeof skipAuthRoutes === 'string')
  );
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isTextsOrNull = (value: unknown): boolean => value === null || isTexts(value);
