import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

type Fetch = (request: Request) => Promise<Response>;

/** A server on a port of its own on loopback. */
export type Served = {
  url: string;
  port: number;
  /** From now on it shows this certificate. */
  show: (tls: { key: string; cert: string }) => void;
  close: () => Promise<void>;
};

/** Puts a gateway that lives in this process behind a real port, so that a process can call it. */
export const serve = (fetch: Fetch, tls?: { key: string; cert: string }): Promise<Served> =>
  listen((request, response) => void answer(fetch, request, response), tls);

/** Listens on a free port of loopback; with `tls` by HTTPS. */
export async function listen(listener: RequestListener, tls?: { key: string; cert: string }): Promise<Served> {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    show: (next) => 'setSecureContext' in server && server.setSecureContext(next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers,
    body,
  });
  const reply = await fetch(request);
  outgoing.writeHead(reply.status, Object.fromEntries(reply.headers));
  outgoing.flushHeaders();
  if (!reply.body) {
    outgoing.end();
    return;
  }
  // The caller hangs up when it has seen enough; then the stream ends here as well.
  await pipeline(Readable.fromWeb(reply.body), outgoing).catch(() => undefined);
}
