import type { HttpService } from '@sallyport/sdk/contract';

/** Where a service's requests go. `nodeAddress` stands in for a backend host that is not named; null: it is not known here. */
export function backendTarget(
  { backendProto, backendHost, backendPort }: Pick<HttpService, 'backendProto' | 'backendHost' | 'backendPort'>,
  nodeAddress: string | null,
): string {
  const host = backendHost ?? nodeAddress ?? 'its node';
  return `${backendProto}://${host.includes(':') ? `[${host}]` : host}:${backendPort}`;
}
