/**
 * A script of Node that is a DNS server: it answers each question for an IPv4 address with one address.
 * @param listens where it is asked
 */
export const dnsScript = (listens: string, answer = listens): string => `
  const socket = require('node:dgram').createSocket('udp4');
  socket.on('message', (asked, { port, address }) => {
    const header = Buffer.from([asked[0], asked[1], 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
    let end = 12;
    while (asked[end] !== 0) end += asked[end] + 1;
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, ${answer.replaceAll('.', ', ')}]);
    socket.send(Buffer.concat([header, asked.subarray(12, end + 5), answer]), port, address);
  });
  socket.bind(53, '${listens}', () => process.stdout.write('ready\\n'));
`;
