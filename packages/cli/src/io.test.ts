import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Streams, createIo } from './io.ts';

/** An `Io` with these streams, the others being empty. */
function ioOf(streams: Partial<Streams>, signal = new AbortController().signal) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return createIo({ stdin, stdout, stderr, ...streams }, {}, { quiet: false, input: true, color: true }, signal);
}

/** An output that takes nothing until it is told to. */
function stuck() {
  let go = (): void => undefined;
  const stream = new Writable({ highWaterMark: 10, write: (_chunk, _encoding, done) => void (go = done) });
  return { stream, drain: () => go() };
}

describe('standard output', () => {
  it('is waited for while its reader is slow', async () => {
    const { stream, drain } = stuck();
    let done = false;
    const printed = ioOf({ stdout: stream })
      .print('more than ten characters')
      .then(() => (done = true));
    await new Promise(setImmediate);
    expect(done).toBe(false);
    drain();
    await printed;
    expect(done).toBe(true);
  });

  it('is no longer waited for when the run is interrupted', async () => {
    const stop = new AbortController();
    const printed = ioOf({ stdout: stuck().stream }, stop.signal).print('more than ten characters');
    stop.abort();
    await expect(printed).rejects.toThrow('aborted');
  });
});

it('says nothing while a screen has the terminal', async () => {
  const stderr = new PassThrough();
  const io = ioOf({ stderr });
  await io.drawing(async () => io.say('lost'));
  io.say('heard');
  expect(String(stderr.read())).toBe('heard\n');
});

describe('a secret on standard input', () => {
  const read = async (...chunks: (string | Buffer)[]) => {
    const stdin = new PassThrough();
    for (const chunk of chunks) stdin.write(chunk);
    stdin.end();
    return (await ioOf({ stdin }).readSecret()).reveal();
  };

  it('loses the line end that echo adds, and nothing else', async () => {
    expect(await read(' pass word \n')).toBe(' pass word ');
    expect(await read('pass\r\n')).toBe('pass');
    expect(await read('pass\n\n')).toBe('pass\n');
  });

  it('may be cut within a character', async () => {
    const bytes = Buffer.from('pässwörd');
    expect(await read(bytes.subarray(0, 2), bytes.subarray(2))).toBe('pässwörd');
  });

  it('is no longer waited for when the run is interrupted', async () => {
    const stop = new AbortController();
    const stdin = new PassThrough();
    stdin.write('half of a pass');
    const secret = ioOf({ stdin }, stop.signal).readSecret();
    stop.abort();
    await expect(secret).rejects.toThrow('aborted');
  });

  it('is refused when it is far too large to be one', async () => {
    await expect(read(Buffer.alloc(70_000))).rejects.toThrow('far more than a password');
  });
});
