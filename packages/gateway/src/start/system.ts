import { join } from 'node:path';
import { type AccessLog, type AccessLogOptions, type LogSource, openAccessLog } from '../logs/accessLog.ts';
import { createCertbot, type CertbotOptions } from '../certificates/certbot.ts';
import type { CertificateIssuer } from '../certificates/certificateIssuer.ts';
import { type Certificates, createCertificates } from '../certificates/selfSigned.ts';
import type { DataDirectory } from '../machine/dataDirectory.ts';
import type { Ingress } from '../ingress/nginx/ingress.ts';
import { createNames, type Names } from '../machine/names.ts';
import { createNginxIngress } from '../ingress/nginx/nginxIngress.ts';
import type { KeyVault } from '../vault/keyVault.ts';
import type { Tunnel } from '../tunnel/wireguard/tunnel.ts';
import { createWireguardTunnel, type WireguardTunnelOptions } from '../tunnel/wireguard/wireguardTunnel.ts';
import { createAbsentTunnel } from '../tunnel/wireguard/absentTunnel.ts';

/** The outside world of the gateway. */
export type System = {
  ingress: Ingress;
  logs: LogSource;
  certificates: Certificates;
  issuer: CertificateIssuer;
  names: Names;
  tunnel: Tunnel;
  vault: KeyVault;
};

const LOGS_DIRECTORY = 'logs';
const ISSUED_DIRECTORY = 'issued';

/**
 * The real world, in an open data directory.
 * @param vault opens what was sealed for the database
 * @param logs how much is kept of whose lines
 * @param acme which authority certificates are had from
 * @param tunnel null: the administrator wants none
 * @throws {StartError} when nginx is missing
 */
export async function openSystem(
  data: DataDirectory,
  vault: KeyVault,
  logs: Pick<AccessLogOptions, 'historyBytes' | 'known' | 'notices'>,
  acme: Pick<CertbotOptions, 'authority' | 'email'>,
  tunnel: WireguardTunnelOptions | null,
): Promise<System & { logs: AccessLog }> {
  const ingress = await createNginxIngress({ data });
  return {
    ingress,
    logs: openAccessLog({
      ...logs,
      path: ingress.layout.accessLog,
      directory: join(data.path, LOGS_DIRECTORY),
      reopenLogs: ingress.reopenLogs,
    }),
    certificates: createCertificates(ingress.layout.certificates),
    issuer: createCertbot({ ...acme, directory: join(data.secrets, ISSUED_DIRECTORY), webroot: ingress.layout.acme }),
    names: createNames(),
    tunnel: tunnel === null ? createAbsentTunnel() : await createWireguardTunnel(tunnel),
    vault,
  };
}
