import { chunksOf } from './chunks.ts';
import { untilAborted } from './untilAborted.ts';

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
