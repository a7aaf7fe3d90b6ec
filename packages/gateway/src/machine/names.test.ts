import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createNames, NameError, resolveHost } from './names.ts';

describe('resolveHost', () => {
  it('passes addresses on without asking anybody', async () => {
    const nobody = () => Promise.reject(new Error('was asked'));
    expect(await resolveHost('192.0.2.7', nobody)).toEqual(['192.0.2.7']);
    expect(await resolveHost('2001:db8::1', nobody)).toEqual(['2001:db8::1']);
  });

  it('asks this machine', async () => {
    expect(await createNames().resolve('localhost')).toContain('127.0.0.1');
  });

  it('keeps the order and drops repetitions', async () => {
    const found = ['192.0.2.9', '192.0.2.1', '192.0.2.9'].map((address) => ({ address }));
    expect(await resolveHost('app', () => Promise.resolve(found))).toEqual(['192.0.2.9', '192.0.2.1']);
  });

  it.each([
    ['ENOTFOUND', 'The name app is not known.'],
    ['EAI_AGAIN', 'The name app cannot be looked up now: the name server does not answer.'],
    ['EAI_FAIL', 'The name app cannot be looked up (EAI_FAIL).'],
  ])('says in a sentence why there is none: %s', async (code, sentence) => {
    const failing = () => Promise.reject(Object.assign(new Error(code), { code }));
    await expect(resolveHost('app', failing)).rejects.toThrow(new NameError(sentence));
    await expect(resolveHost('app', () => Promise.resolve([]))).rejects.toThrow('The name app has no address.');
  });

  it('does not wait for ever', async () => {
    const never = () => new Promise<never>(() => undefined);
    await expect(resolveHost('app', never, 20)).rejects.toThrow('The name app was not answered in time.');
  });
});

describe('the resolver of a node', () => {
  const ok = 0x81_80;
  const unknown = 0x81_83;
  /** What comes back: the question with its flags, and one address. */
  const replyTo = (query: Buffer): Buffer => {
    const end = query.indexOf(0, 12) + 5;
    const isKnown = query.subarray(12, end).includes('web');
    const header = Buffer.alloc(12);
    [query.readUInt16BE(0), isKnown ? ok : unknown, 1, isKnown ? 1 : 0].forEach((word, at) =>
      header.writeUInt16BE(word, at * 2),
    );
    const answer = Buffer.from('c00c000100010000000500040a585005', 'hex');
    return Buffer.concat([header, query.subarray(12, end), ...(isKnown ? [answer] : [])]);
  };

  it('is asked from the address in the tunnel, and named where it has no answer', async () => {
    const socket = createSocket('udp4');
    const asking = new Set<string>();
    socket.on('message', (query, { address, port }) => {
      asking.add(address);
      socket.send(replyTo(query), port, address);
    });
    socket.bind(0, '127.88.0.2');
    await once(socket, 'listening');
    const at = { server: `127.88.0.2:${socket.address().port}`, from: '127.88.0.1' };
    const { resolve } = createNames();
    expect(await resolve('web', at)).toEqual(['10.88.80.5']);
    expect([...asking]).toEqual(['127.88.0.1']);
    await expect(resolve('nas', at)).rejects.toThrow(`the resolver at ${at.server} does not know it`);
    await new Promise<void>((closed) => void socket.close(closed));
    await expect(resolve('web', at)).rejects.toThrow(`no resolver answers at ${at.server} (E`);
  });
});
