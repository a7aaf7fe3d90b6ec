import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readCaddyfile } from '../admin/caddyfile.ts';
import { planCaddy } from '../admin/caddyPlan.ts';
import type { ImportPlan } from '../admin/importPlan.ts';

const base = mkdtempSync(join(tmpdir(), 'sallyport-caddy-'));
let made = 0;
export const removeCaddyfiles = (): void => rmSync(base, { recursive: true });

type More = { files?: Record<string, string>; environment?: Record<string, string> };

/** Writes a Caddyfile, with others below its directory. */
export function caddyfileOf(text: string, files: Record<string, string> = {}): string {
  const directory = join(base, String((made += 1)));
  for (const [name, content] of Object.entries({ Caddyfile: text, ...files })) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return join(directory, 'Caddyfile');
}

/** What becomes of it. */
export const planOf = (text: string, { files, environment }: More = {}): ImportPlan =>
  planCaddy(
    readCaddyfile(caddyfileOf(text, files), environment === undefined ? null : new Map(Object.entries(environment))),
  );

/** Each service in a line: where it leads, whom it lets in, and whether it is closed. */
export const summaryOf = (text: string, more?: More): string[] =>
  planOf(text, more).services.map(({ body, closed }) => {
    const { domain, pathLocation, backendProto } = body as {
      domain: string;
      pathLocation: string;
      backendProto: string;
    };
    const to = `${backendProto}://${body.backendHost}:${body.backendPort}`;
    const lists = [body.allowedIps?.map((each) => ` +${each}`), body.blockedIps?.map((each) => ` -${each}`)];
    return `${domain}${pathLocation} ${to}${lists.flat().join('')}${closed === null ? '' : ' closed'}`;
  });
/** One site of these lines. */
export const site = (...lines: string[]): string => `a.test {\n${lines.join('\n')}\n}`;
/** What becomes of `site('reverse_proxy app:80')`. */
export const APP = 'a.test/ http://app:80';
