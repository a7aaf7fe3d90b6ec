// Answers in a network of the tests: HTTP, TCP and UDP at an address, and says who asked.
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { createSocket } from 'node:dgram';

const [address, word, http, tcp, udp] = process.argv.slice(2);
createHttpServer((request, response) => {
  if (request.url === '/slow') {
    // A body that does not end by itself.
    response.write('begun\n');
    return;
  }
  // What it is told of the host that was asked for.
  const isHostAsked = request.url?.endsWith('/host') === true;
  response.end(isHostAsked ? request.headers.host : `${word} http from ${request.socket.remoteAddress}`);
}).listen(Number(http), address);
createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', (data) => socket.write(`${word} tcp ${data}`));
}).listen(Number(tcp), address);
const datagrams = createSocket('udp4');
datagrams.on('message', (data, from) => datagrams.send(`${word} udp ${data}`, from.port, from.address));
datagrams.bind(Number(udp), address, () => process.stdout.write('ready\n'));
