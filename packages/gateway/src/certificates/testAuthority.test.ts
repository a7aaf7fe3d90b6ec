import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { testAuthority } from './testAuthority.ts';

const available = () => ({ available: true }) as const;

async function authority(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory`;
}

it('finds a directory, and asks for nothing else', async () => {
  const asked: string[] = [];
  const address = await authority((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end(JSON.stringify({ newNonce: 'n', newAccount: 'a', newOrder: 'o' }));
  });
  expect(await testAuthority({ authority: address, availability: available })).toMatchObject({ works: true });
  expect(asked).toEqual(['GET /directory']);
});

it('says what is wrong with another answer', async () => {
  const [page, refusal] = [
    await authority((_, response) => response.end('{"hello":1}')),
    await authority((_, response) => response.writeHead(503).end()),
  ];
  expect(await testAuthority({ authority: page, availability: available })).toEqual({
    works: false,
    text: `${page} is no directory of a certificate authority. Check the directory of the authority.`,
  });
  const { text } = await testAuthority({ authority: refusal, availability: available });
  expect(text).toMatch(/answers 503 at /);
});

it('asks no one where certificates cannot be had anyway', async () => {
  const availability = () => ({ available: false, reason: 'certbot is not installed.' }) as const;
  expect(await testAuthority({ authority: 'http://127.0.0.1:1/', availability })).toEqual({
    works: false,
    text: 'certbot is not installed.',
  });
});
