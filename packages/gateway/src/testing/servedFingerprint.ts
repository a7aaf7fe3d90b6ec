import { once } from 'node:events';
import { connect } from 'node:tls';

/** The SHA-256 of the certificate that a port of this machine shows for a name. */
export async function servedFingerprint(port: number, servername: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}
