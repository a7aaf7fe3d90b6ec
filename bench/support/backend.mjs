/**
 * A program: a backend that answers every request with the path that it was asked for, at all addresses, those of loopback too.
 * `node backend.mjs` prints its port.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

const server = createServer((request, response) => response.end(`backend ${request.url}`));
await once(server.listen(0, '0.0.0.0'), 'listening');
const address = server.address();
process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
