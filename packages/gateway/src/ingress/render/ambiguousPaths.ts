import { type ConfigText, pattern } from './configText.ts';

/** What `$path_trick` is for a path with a segment that leads upwards. */
const CLIMBS = 'climbs';

/** The variable that is empty for a path with one meaning alone. What repeats in it gives nothing back (`spellings.ts`). */
export function writePathVariables(out: ConfigText): void {
  const encoded = '%(?:25)*+';
  const begin = String.raw`(?:[/\\;]|${encoded}(?:2f|5c|3b))`;
  const dot = String.raw`(?:\.|${encoded}2e)`;
  const end = String.raw`(?:[/\\;?]|${encoded}(?:2f|5c|3b|3f|23|00)|$)`;
  // A backend that cuts a parameter off before it decodes knows no separator within it.
  const parameter = String.raw`;[^/?;]*(?:\\|%(?:2f|5c))`;
  const encodedTwice = '%25(?:25)*+(?:00|2e|2f|5c|3b)';
  const inNoBrowser = '%(?:00|c0|c1|e0%[89]|f0%8)|#';
  out.block('map $request_uri $path_trick', () => {
    out.line(`${pattern(`~*^[^?]*${begin}${dot}${dot}${end}`)} ${CLIMBS}`);
    out.line(`${pattern(`~*^[^?]*(?:${begin}${dot}${end}|${encodedTwice}|${inNoBrowser}|${parameter})`)} 1`);
  });
}

/** In a location: refuses a path that backends may read otherwise than nginx does. Refusing is all that `if` does here. */
export const refuseTricks = (out: ConfigText): void => out.block('if ($path_trick)', () => out.line('return 400'));

/**
 * In a server: where a service has a path of its own, none may lead out of it or into it from elsewhere. nginx finds
 * `/secret/..%2fapp` at /app, and its backend is told what was asked for, which may be at /secret to it; a browser sends
 * the cookies of /app with `/app/..%2fother`, which is found at another node's /other.
 */
export function refuseClimbing(out: ConfigText, services: readonly { prefix: string }[]): void {
  if (services.every(({ prefix }) => prefix === '')) return;
  out.block(`if ($path_trick = ${CLIMBS})`, () => out.line('return 400'));
}
