import { describe, expect, test, vi } from 'vitest';
import { clientOf } from '../testing/client.ts';
import type { ProofSource } from './transport.ts';

const refused = () =>
  Response.json(
    { status: 'error', message: 'prove it', requestId: 'r-1' },
    {
      status: 401,
      headers: { 'www-authenticate': 'DPoP error="invalid_dpop_proof"', date: 'Mon, 23 Nov 2026 12:00:00 GMT' },
    },
  );

function provenClient(...replies: (() => Response)[]) {
  const proof = vi.fn<ProofSource>(async ({ method, url }) => `${method} ${url} ${requests.length}`);
  const { client, requests } = clientOf((_, count) => replies[count - 1]?.() ?? new Response('text'), {
    token: 'secret',
    proof,
  });
  return { client, requests, proof, sent: () => requests.map(({ headers }) => headers.get('dpop')) };
}

const PATH = 'https://gateway.test/api/nodes/2/download';

describe('a proof', () => {
  test('goes with each request, for its address and token', async () => {
    const { client, proof, requests, sent } = provenClient();
    await client.node.download({ params: { id: 2 } });
    expect(proof).toHaveBeenCalledExactlyOnceWith({ method: 'GET', url: PATH, token: 'secret', gatewayTime: null });
    expect(sent()).toEqual([`GET ${PATH} 0`]);
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer secret');
  });

  test('goes with streams', async () => {
    const { client, sent } = provenClient(
      () => new Response('data: ["a"]\n\n', { headers: { 'content-type': 'text/event-stream' } }),
    );
    for await (const lines of client.log.watch({ query: { type: 'http', id: 7 } })) {
      expect(lines).toEqual(['a']);
      break;
    }
    expect(sent()).toEqual(['GET https://gateway.test/api/logs/stream?type=http&id=7 0']);
  });

  test('is made once more by the clock of a gateway that refuses it', async () => {
    const { client, proof, sent } = provenClient(refused);
    await client.node.download({ params: { id: 2 } });
    expect(proof.mock.calls[1]?.[0].gatewayTime).toEqual(new Date('2026-11-23T12:00:00Z'));
    expect(sent()).toEqual([`GET ${PATH} 0`, `GET ${PATH} 1`]);
  });

  test('that is refused a second time is refused', async () => {
    const { client, requests } = provenClient(refused, refused);
    await expect(client.node.download({ params: { id: 2 } })).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(requests).toHaveLength(2);
  });

  test('is no reason to ask again when the gateway refuses something else', async () => {
    const { client, requests } = provenClient(() => new Response(null, { status: 401 }));
    await expect(client.node.download({ params: { id: 2 } })).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(requests).toHaveLength(1);
  });
});
