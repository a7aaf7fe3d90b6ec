import { once } from 'node:events';
import { connect } from 'node:tls';

const ANSWER_MAX_MS = 5000;

/** The SHA-256 of the certificate that a port of this machine shows, for a name if there is one. @throws where nothing shows one */
export async function servedFingerprint(port: number, servername?: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(ANSWER_MAX_MS) });
    return socket.getPeerCertificate().fingerprint256;
  } finally {
    socket.destroy();
  }
}
