import type { FileEndpoint } from '../contract/endpoint.ts';
import type { CallOptions, Outgoing, Transport } from './transport.ts';

/** A downloaded file. */
export type Download = {
  /** A bare file name: no path, no control characters. */
  name: string;
  /** Media type, as the gateway gave it. */
  type: string;
  data: Blob;
};

const NAME_MAX_CHARS = 200;
const HEADER_MAX_CHARS = 4000;

/** The values of a `content-disposition` header by their lower-case names. */
function parametersOf(header: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const [, name = '', value = ''] of header
    .slice(0, HEADER_MAX_CHARS)
    .matchAll(/;\s*([\w*-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g)) {
    const text = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value.trim();
    values.set(name.toLowerCase(), text);
  }
  return values;
}

/** `UTF-8''na%C3%AFve.conf` (RFC 5987); null when it is not well formed. */
function extendedValue(value: string | undefined): string | null {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value ?? '');
  try {
    return match ? decodeURIComponent(match[1] ?? '') : null;
  } catch {
    return null;
  }
}

/**
 * The name under which a download is saved: from `content-disposition` (`filename*` before `filename`), else
 * `fallback`. The header is someone else's text: path parts, control characters, and characters that file systems or
 * terminals treat specially do not get through.
 */
export function fileNameOf(header: string | null, fallback: string): string {
  const values = parametersOf(header ?? '');
  const given = extendedValue(values.get('filename*')) ?? values.get('filename') ?? '';
  const base = given.split(/[/\\]/).at(-1) ?? '';
  const name = base
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[:*?"<>|]/g, '_')
    .slice(0, NAME_MAX_CHARS)
    .replace(/^[\s.]+|[\s.]+$/g, '');
  return name === '' ? fallback : name;
}

/** Fetches a file whole. */
export async function download(
  transport: Transport,
  outgoing: Outgoing & { endpoint: FileEndpoint },
  options: CallOptions,
): Promise<Download> {
  const reading = { maxBytes: transport.downloadMaxBytes };
  const response = await transport.exchange({ ...outgoing, headers: { accept: '*/*' } }, options, reading);
  const type = response.headers.get('content-type') ?? 'application/octet-stream';
  return {
    name: fileNameOf(response.headers.get('content-disposition'), outgoing.endpoint.fileName),
    type,
    data: new Blob([await response.arrayBuffer()], { type }),
  };
}
