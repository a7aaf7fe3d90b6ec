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
