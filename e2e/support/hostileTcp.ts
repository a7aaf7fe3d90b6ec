import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type HostileTcp = { port: number; requests: IncomingMessage[]; close(): Promise<void> };

/** A web server with TLS of its own, behind a TCP service: nothing on the way sees or changes what it gets. */
export async function startHostileTcp(answer: (response: ServerResponse) => void): Promise<HostileTcp> {
  const requests: IncomingMessage[] = [];
  const server = createServer(selfSigned(), (request, response) => {
    requests.push(request);
    answer(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function selfSigned(): { key: string; cert: string } {
  const directory = mkdtempSync(path.join(tmpdir(), 'sallyport-hostile-'));
  try {
    const [key, cert] = [path.join(directory, 'key.pem'), path.join(directory, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '1'];
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
