/**
 * A program: watchers of the nodes, each on a connection of its own. `node nodeWatchers.mjs URL USERNAME PASSWORD QUERY...` signs in, opens
 * a stream for every query (`limit=10&page=2`), and prints a line when each has had its first page. After each line of
 * its input it prints, as JSON, an array for each watcher: what it saw so far, as pairs of the bytes received by the last
 * node of its page and the moment of arrival in milliseconds since 1970. It is to be killed.
 */
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { signedIn } from '../../e2e/support/gateway.ts';

const [url = '', username = '', password = '', ...queries] = process.argv.slice(2);
const { token } = await signedIn({ apiUrl: url, username, password });

const watchers = await Promise.all(queries.map((query) => watch(query)));
process.stdout.write('0\n');
createInterface({ input: process.stdin }).on('line', () => process.stdout.write(`${JSON.stringify(watchers)}\n`));

/** @returns {Promise<[number, number][]>} what it sees, which grows; fulfilled with the first page */
function watch(query) {
  /** @type {[number, number][]} */
  const seen = [];
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    get(`${url}/api/nodes/stream?${query}`, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the stream of ${query} answered ${response.statusCode}`));
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
        const end = text.lastIndexOf('\n\n');
        if (end === -1) return;
        const now = performance.timeOrigin + performance.now();
        for (const frame of text.slice(0, end).split('\n\n')) {
          // The local node has no counters.
          const counter = /.*"transferRx":(\d+)/s.exec(frame)?.[1];
          if (counter !== undefined) seen.push([Number(counter), now]);
        }
        text = text.slice(end + 2);
        resolve(seen);
      });
      // It is not to end before the program does.
      response.on('close', () => process.exit(1));
    }).on('error', reject);
  });
}
