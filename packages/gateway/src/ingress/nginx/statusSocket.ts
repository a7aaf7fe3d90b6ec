import { get } from 'node:http';

/** The answer of nginx's private endpoint. */
export type ServedGeneration = { generation: number; pid: number };

const LONGEST_ANSWER = 64;

/** Asks nginx which generation it serves; null when it does not say so in time. */
export function askGeneration(socketPath: string, timeoutMs: number): Promise<ServedGeneration | null> {
  return new Promise((resolve) => {
    const request = get({
      socketPath,
      path: '/generation',
      headers: { host: 'localhost', connection: 'close' },
      agent: false,
    });
    // Not a signal that aborts: it goes off, at some cost, also when the answer has long been there, and this is asked
    // often.
    const timer = setTimeout(() => request.destroy(new Error('There was no answer in time.')), timeoutMs);
    request.on('close', () => clearTimeout(timer));
    request.on('error', () => resolve(null));
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('latin1');
      response.on('error', () => resolve(null));
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > LONGEST_ANSWER) response.destroy(new Error('This is not the private endpoint.'));
      });
      response.on('end', () => {
        const parts = /^(\d+) (\d+)\s*$/.exec(text);
        resolve(parts === null ? null : { generation: Number(parts[1]), pid: Number(parts[2]) });
      });
    });
  });
}
