/**
 * A program: reads a service's log with the SDK's client. `node logReader.mjs URL TOKEN_FILE SERVICE_ID` prints `open`
 * once it is connected, and then, after each event, how many lines it has. Where requests carry a number in their path
 * (`/n/NUMBER`), it ends with an error when one is missing.
 */
import { readFileSync } from 'node:fs';
import { createClient } from '@sallyport/sdk';

const [baseUrl = '', tokenFile = '', id] = process.argv.slice(2);
const client = createClient({ baseUrl, token: readFileSync(tokenFile, 'utf8') });
const stream = client.log.watch(
  { query: { type: 'http', id: Number(id) } },
  {
    onState(state, { error }) {
      if (state === 'open') process.stdout.write('open\n');
      // Going on where it broke off would hide what was lost.
      if (state === 'waiting') throw new Error('the stream broke off', { cause: error });
    },
  },
);
let count = 0;
for await (const lines of stream) {
  for (const line of lines) {
    const [, number] = / \/n\/(\d+) /.exec(line) ?? [];
    if (number !== undefined && Number(number) !== count) throw new Error(`line ${number} stands at place ${count}`);
    count += 1;
  }
  if (lines.length > 0) process.stdout.write(`${count}\n`);
}
