import { failure } from '../failure.ts';

/** Most bytes that a body may have, by who sends it. */
export const BODY_MAX_BYTES = {
  admin: 1_000_000,
  /** Lists of a thousand entries are a fraction of it. */
  node: 256_000,
  /** Anybody may send one, and it is held as long as its sender takes for the rest. */
  open: 16_000,
} as const;
/** How much more is taken in and thrown away: who is still sending reads no answer. */
const DRAIN_MAX_BYTES = 16_000_000;

/**
 * Takes in the whole body of a request.
 *
 * Hono's own limit answers at once, and the connection is then closed under a client that is still sending: it sees a
 * broken connection instead of the 413. So a body that is too long is read on, up to a bound, and not kept.
 * @throws {Failure} 413 when it is too long, 400 when it breaks off or is not text
 */
export async function readBody(request: Request, mostBytes: number): Promise<string> {
  // They have none, and to look for it would make a whole request of the light one that the server hands in.
  if (request.method === 'GET' || request.method === 'HEAD') return '';
  if (isShort(request, mostBytes)) return asText(await readWhole(request, mostBytes));
  return request.body === null ? '' : asText(await readParts(request.body, mostBytes));
}

/** Node lets no more come than was announced. */
function isShort({ headers }: Request, mostBytes: number): boolean {
  const announced = headers.get('content-length');
  return announced !== null && Number(announced) <= mostBytes;
}

/** At once, without a stream: that takes half of the time of a small request. */
async function readWhole(request: Request, mostBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer().catch(brokeOff));
  if (bytes.byteLength > mostBytes) throw failure.tooLarge(mostBytes);
  return bytes;
}

async function readParts(body: ReadableStream<Uint8Array>, mostBytes: number): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(brokeOff);
    if (done) break;
    bytes += value.byteLength;
    if (bytes <= mostBytes) kept.push(value);
    else kept.length = 0;
    if (bytes > DRAIN_MAX_BYTES) {
      await reader.cancel();
      break;
    }
  }
  if (bytes > mostBytes) throw failure.tooLarge(mostBytes);
  return Buffer.concat(kept);
}

/** The caller hung up: nothing that the gateway's log should call an error. */
function brokeOff(): never {
  throw failure.rejected('The body broke off');
}

function asText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw failure.rejected('The body is not valid JSON');
  }
}
