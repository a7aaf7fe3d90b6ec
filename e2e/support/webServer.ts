import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

export type WebServer = { port: number; url: string; requests: IncomingMessage[]; close(): Promise<void> };

/**
 * Starts a web server on loopback, as one is already there when a gateway comes; it remembers the requests that it got.
 * @param tls with which it speaks TLS itself
 */
export async function startWebServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  tls?: { key: string; cert: string },
): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(request);
    answer(request, response);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
