import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { decode, encode } from 'dns-packet';
import { afterEach, describe, expect, it } from 'vitest';
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
  const FLAGS = { ok: 0x80_80, cut: 0x82_80, unknown: 0x80_83, failed: 0x80_82 };
  type Said = Partial<{ id: number; name: string; flags: number; addresses: string[] }>;
  const reply = (query: Buffer, { id, name, flags = FLAGS.ok, addresses = [] }: Said): Buffer => {
    const asked = decode(query);
    const questions = name === undefined ? asked.questions : [{ type: 'A' as const, name }];
    const answers = addresses.map((data) => ({ type: 'A' as const, name: questions?.[0]?.name ?? '', ttl: 5, data }));
    return encode({ type: 'response', id: id ?? asked.id ?? 0, flags, questions, answers });
  };

  /** An answer that counts as many records as a header can. */
  const counting = (query: Buffer, records: string): Buffer => {
    const answer = Buffer.concat([query, Buffer.from(records, 'hex')]);
    answer.writeUInt16BE(FLAGS.ok, 2);
    for (const at of [6, 8, 10]) answer.writeUInt16BE(0xff_ff, at);
    return answer;
  };

  const opened: Socket[] = [];
  afterEach(() => opened.splice(0).forEach((socket) => void socket.close()));
  /** One that sends what `answers` makes of a question. */
  async function open(answers: (query: Buffer) => Buffer[]) {
    const asking: string[] = [];
    const socket = createSocket('udp4');
    socket.on('message', (query, { address, port }) => {
      asking.push(address);
      for (const answer of answers(query)) socket.send(answer, port, address);
    });
    socket.bind(0, '127.88.0.2');
    await once(socket, 'listening');
    opened.push(socket);
    const { port } = socket.address();
    const at = { server: `127.88.0.2:${port}`, from: '127.88.0.1' };
    return { at, port, asking, resolve: (name: string) => createNames().resolve(name, at) };
  }

  it('is asked from the address in the tunnel, for any spelling', async () => {
    const { resolve, asking } = await open((query) => [reply(query, { name: 'WEB.lan', addresses: ['10.88.80.5'] })]);
    expect(await resolve('web.LAN')).toEqual(['10.88.80.5']);
    expect(asking).toEqual(['127.88.0.1']);
  });

  it.each([
    [FLAGS.unknown, 'the resolver at AT does not know it'],
    [FLAGS.ok, 'the resolver at AT does not know it'],
    [FLAGS.failed, 'no resolver answers at AT (SERVFAIL)'],
  ])('is named with its reason where it has no address: %d', async (flags, reason) => {
    const { resolve, at } = await open((query) => [reply(query, { flags })]);
    await expect(resolve('nas')).rejects.toThrow(new NameError(reason.replace('AT', at.server)));
  });

  it('is named where it does not listen, or does not answer', async () => {
    const { resolve, at, asking } = await open(() => []);
    await expect(resolve('web')).rejects.toThrow(`no resolver answers at ${at.server}`);
    expect(asking).toHaveLength(2);
    await new Promise<void>((closed) => void opened.pop()?.close(closed));
    await expect(resolve('web')).rejects.toThrow(`no resolver answers at ${at.server} (ECONNREFUSED)`);
  });

  it('is not asked again by TCP, where its answers may be as long as it likes', async () => {
    const { resolve, at, port } = await open((query) => [reply(query, { flags: FLAGS.cut })]);
    let connections = 0;
    const long = createServer(() => (connections += 1)).listen(port, '127.88.0.2');
    await once(long, 'listening');
    await expect(resolve('web')).rejects.toThrow(`the answer of the resolver at ${at.server} is too long`);
    long.close();
    expect(connections).toBe(0);
  });

  it.each([
    // 196,605 records, the first of which has more than there is.
    ['counts records that are not there', (query: Buffer) => counting(query, 'c00c0010000100000005ffff00')],
    ['is cut off within a name', (query: Buffer) => counting(query, '3f616263')],
    ['points at itself', (query: Buffer) => counting(query, 'c0ffc0ffc0ff')],
    ['leads from a name to itself', (query: Buffer) => counting(query, 'c00c00050001000000050002c021')],
    ['is a question', (query: Buffer) => query],
  ])('costs nothing where its answer %s', async (_what, answer) => {
    const { resolve } = await open((query) => [answer(query)]);
    await expect(resolve('web')).rejects.toThrow(/does not know it|no resolver answers/);
  });

  it('is followed to where its names lead, whatever stands between', async () => {
    const chain = [
      { type: 'CNAME' as const, name: 'web', ttl: 5, data: 'a.b.c' },
      { type: 'TXT' as const, name: 'a.b.c', ttl: 5, data: 'x' },
      { type: 'A' as const, name: 'a.b.c', ttl: 5, data: '10.88.80.7' },
      { type: 'AAAA' as const, name: 'a.b.c', ttl: 5, data: '2001:db8::7' },
    ];
    const { resolve } = await open((query) => {
      const { id = 0, questions } = decode(query);
      return [encode({ type: 'response', id, flags: FLAGS.ok, questions, answers: chain })];
    });
    expect(await resolve('web')).toEqual(['10.88.80.7']);
  });

  it('is not heard but for the answer to the question', async () => {
    const address = { addresses: ['10.88.80.66'] };
    const { resolve } = await open((query) => [
      Buffer.from('?'),
      reply(query, { ...address, id: ((decode(query).id ?? 0) + 1) % 65_536 }),
      reply(query, { addresses: Array.from({ length: 40 }, () => '10.88.80.66') }),
      reply(query, { addresses: ['10.88.80.5'] }),
    ]);
    expect(await resolve('web')).toEqual(['10.88.80.5']);
    const other = await open((query) => [reply(query, { ...address, name: 'other' })]);
    await expect(other.resolve('web')).rejects.toThrow('no resolver answers');
    const garbage = await open((query) => [query.subarray(0, 2), reply(query, address)]);
    await expect(garbage.resolve('web')).rejects.toThrow('no resolver answers');
    const flood = await open(() => Array.from({ length: 20 }, () => Buffer.from('?')));
    await expect(flood.resolve('web')).rejects.toThrow('no resolver answers');
    expect(flood.asking).toHaveLength(1);
  });
});
