/** A body is larger than its reader takes; the rest was not read. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`it is larger than ${sizeText(maxBytes)}`);
    this.maxBytes = maxBytes;
  }
}

/** `64 MB`; below that in bytes. */
const sizeText = (bytes: number): string => (bytes >= 1e6 ? `${Math.floor(bytes / 1e6)} MB` : `${bytes} bytes`);

/**
 * Reads a reply's body whole, but never more of it than `maxBytes`: a server may send without an end. Without a bound the
 * platform reads it by itself. Chromium counts some replies that a page read piece by piece as broken off, so that its
 * tools do not show them.
 * @throws {TooLargeError} and what the network says, or the signal's reason
 */
export async function boundedBytes(
  response: Response,
  maxBytes: number | null,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  if (response.body === null) return new ArrayBuffer(0);
  if (maxBytes === null) return untilAborted(response.arrayBuffer(), signal);
  const reader = chunksOf(response.body);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let isWhole = false;
  try {
    for (;;) {
      const piece = await untilAborted(reader.read(), signal);
      isWhole = piece === undefined;
      if (piece === undefined) return joined(pieces, size);
      size += piece.length;
      if (size > maxBytes) throw new TooLargeError(maxBytes);
      // The piece is good until the next one is asked for.
      pieces.push(new Uint8Array(piece));
    }
  } finally {
    // A browser that is told to cancel right at the end may count the request as broken off.
    if (!isWhole) reader.cancel().catch(() => undefined);
  }
}

function joined(pieces: readonly Uint8Array[], size: number): ArrayBuffer {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole.buffer;
}

/** The same as text. */
export async function boundedText(response: Response, maxBytes: number, signal?: AbortSignal): Promise<string> {
  return new TextDecoder().decode(await boundedBytes(response, maxBytes, signal));
}

/** So much of a body is read at once. */
const BUFFER_BYTES = 64 * 1024;

/** Reads a body piece by piece. */
export type ChunkReader = {
  /** The next piece, good until the one after it is asked for; undefined at the end. */
  read: () => Promise<Uint8Array | undefined>;
  /** Lets go of the body. */
  cancel: () => Promise<void>;
};

/**
 * Reads a body into one buffer, over and over, where the platform can: a piece of memory for each one makes the browser
 * collect garbage about once a second while a log is flooded, in the middle of a frame.
 */
export function chunksOf(body: ReadableStream<Uint8Array>): ChunkReader {
  const reader = byteReaderOf(body);
  if (reader === null) {
    const plain = body.getReader();
    return { read: async () => (await plain.read()).value, cancel: () => plain.cancel() };
  }
  let buffer = new ArrayBuffer(BUFFER_BYTES);
  return {
    async read() {
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (value === undefined) return undefined;
      // It was handed over for reading, and comes back as another object.
      ({ buffer } = value);
      return done ? undefined : value;
    },
    cancel: () => reader.cancel(),
  };
}

function byteReaderOf(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: 'byob' });
  } catch {
    // The body is not one of bytes, as with a gateway in the same process or in an older browser.
    return null;
  }
}

/**
 * Settles with `work`, or rejects with the signal's reason as soon as it is aborted: a `fetch` in process need not watch
 * the signal by itself.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const leave = () => signal.removeEventListener('abort', abort);
    work.finally(leave).then(resolve, reject);
  });
}
