import { failure } from '../failure.ts';

/** Most bytes that a body may have. */
export const BODY_MAX_BYTES = 1_000_000;
/** How much more is taken in and thrown away: who is still sending reads no answer. */
const DRAIN_MAX_BYTES = 16_000_000;

/**
 * Takes in the whole body of a request.
 *
 * Hono's own limit answers at once, and the connection is then closed under a client that is still sending: it sees a
 * broken connection instead of the 413. So a body that is too long is read on, up to a bound, and not kept.
 * @throws {Failure} 413 when it is too long, 400 when it breaks off or is not text
 */
export async function readBody(request: Request): Promise<string> {
  // They have none, and to look for it would make a whole request of the light one that the server hands in.
  if (request.method === 'GET' || request.method === 'HEAD' || request.body === null) return '';
  const kept: Uint8Array[] = [];
  let bytes = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      // The caller hung up: nothing that the gateway's log should call an error.
      throw failure.rejected('The body broke off');
    });
    if (done) break;
    bytes += value.byteLength;
    if (bytes <= BODY_MAX_BYTES) kept.push(value);
    else kept.length = 0;
    if (bytes > DRAIN_MAX_BYTES) {
      await reader.cancel();
      break;
    }
  }
  if (bytes > BODY_MAX_BYTES) throw failure.tooLarge();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(kept));
  } catch {
    throw failure.rejected('The body is not valid JSON');
  }
}
