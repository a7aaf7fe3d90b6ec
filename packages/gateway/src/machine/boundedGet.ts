import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { errorCode } from './errorCode.ts';

/** A test is awaited by a person. */
const ANSWER_MS = 5000;
/** Such documents have a few kilobytes. */
const MAX_BYTES = 262_144;

/** What was answered, whatever its status. Redirects are not followed. */
export type BoundedAnswer = { status: number; location: string | null; text: string };

/** There was no answer that can be read; the message says why in a sentence. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/**
 * Reads a small document, in a bounded time and no more than a bounded size of it.
 * @param ca who is trusted, in PEM; left out: those whom Node trusts
 * @throws {NoAnswerError}
 */
export async function boundedGet(url: URL, { ca }: { ca?: string | undefined } = {}): Promise<BoundedAnswer> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    return await answerOf(url, signal, ca);
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    throw new NoAnswerError(signal.aborted ? slow(url) : whyNot(url, error), { cause: error });
  }
}

function answerOf(url: URL, signal: AbortSignal, ca: string | undefined): Promise<BoundedAnswer> {
  const answer = Promise.withResolvers<BoundedAnswer>();
  const request = url.protocol === 'https:' ? requestTls : requestPlain;
  const asked = request(url, { agent: false, signal, headers: { accept: 'application/json' }, ...(ca && { ca }) });
  asked.on('error', answer.reject);
  asked.on('response', (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('error', answer.reject);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) {
        answer.reject(
          new NoAnswerError(`${url.host} answered more than ${MAX_BYTES / 1024} KB, and not such a document.`),
        );
        asked.destroy();
      }
    });
    response.on('end', () =>
      answer.resolve({
        status: response.statusCode ?? 0,
        location: response.headers.location ?? null,
        text: Buffer.concat(chunks).toString(),
      }),
    );
  });
  asked.end();
  return answer.promise;
}

const slow = ({ host }: URL): string => `${host} did not answer within ${ANSWER_MS / 1000} seconds.`;

/** Also what OpenSSL and Node call a certificate that they do not trust. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/;

function whyNot({ host, hostname }: URL, error: unknown): string {
  // Where a name has several addresses, the first failure is as good as the others.
  const cause = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  const code = errorCode(cause);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `This machine finds no address for ${hostname}.`;
  if (code === 'ECONNREFUSED') return `Nothing listens at ${host}.`;
  if (code === 'ETIMEDOUT') return `${host} does not answer.`;
  if (CERTIFICATE.test(code)) return `The certificate of ${host} is not trusted by this machine (${code}).`;
  return `${host} could not be asked${code === '' ? '' : ` (${code})`}.`;
}

/** The document as an object; null: it is none. */
export function readObject(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

const QUOTED_MAX_CHARS = 200;

/** What someone else wrote, as part of a sentence: on one line, and not too long. */
export const quoted = (value: unknown): string =>
  String(value)
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, QUOTED_MAX_CHARS);
