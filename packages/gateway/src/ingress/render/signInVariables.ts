import type { ConfigText } from './configText.ts';
import { pattern } from './text.ts';

/** The cookie of a visitor who signed in, and the one of a sign-in on its way. */
const SESSION_COOKIE = '__Host-sallyport_visitor';
const FLOW_COOKIE = '__Host-sallyport_flow';
const WANTED_MAX_CHARS = 2000;
const ASKED_MAX_CHARS = 3000;

/** The variables of all servers with sign-in; nothing is worked out where none of them is used. */
export function writeSignInVariables(out: ConfigText): void {
  for (const [variable, cookie] of [
    ['$visitor_session', SESSION_COOKIE],
    ['$visitor_flow', FLOW_COOKIE],
  ]) {
    out.block(`map $http_cookie ${variable}`, () => {
      const group = variable?.replace('$', 'own_');
      out.line(`${pattern(`~(?:^|;)\\s*${cookie}=(?<${group}>[A-Za-z0-9_-]{20,100})\\s*(?:;|$)`)} $${group}`);
    });
  }
  withoutOwnCookies(out);
  out.block('map $request_uri $wanted_uri', () => {
    out.line('default /');
    out.line(`"~^(?<short_uri>/.{0,${WANTED_MAX_CHARS}})$" $short_uri`);
  });
  // A segment of dots in any disguise, a separator that is encoded twice, and what no path of a browser has.
  const end = String.raw`[/\\;?]|%(?:2f|5c|3b|3f|23|00)|$`;
  out.block('map $request_uri $path_trick', () => {
    const dots = String.raw`(?:[/\\;]|%(?:2f|5c|3b))(?:\.|%2e){1,2}(?:${end})`;
    out.line(`${pattern(`~*^[^?]*(?:%25(?:25)*(?:2e|2f|5c|3b)|%(?:00|c0|c1)|#|${dots})`)} 1`);
  });
  // Segments without parameters, none of them empty, no separator encoded: what it was matched with is what it is.
  const encoded = '%(?:2[0-2469a-d]|2[78]|3[ac-e]|4[0-9a-f]|5[0-9abd-f]|6[0-9a-f]|7[0-9a-e]|[89a-f][0-9a-f])';
  out.block('map $request_uri $plain_path', () => {
    out.line(`${pattern(`~*^(?<plain_text>(?:/(?:[a-z0-9._~!$&()*+,=:@-]|${encoded})++)*+/?+)(?:[?]|$)`)} $plain_text`);
  });
  // What patterns are matched with. The gateway takes no header of any length, and no longer path (`PATH_MAX_CHARS`).
  out.block('map $plain_path $asked_path', () => out.line(`"~^(?<asked_text>.{1,${ASKED_MAX_CHARS}})$" $asked_text`));
}

/** No backend may see a visitor's session: it would be good for the other services of the domain. */
function withoutOwnCookies(out: ConfigText): void {
  const own = '__Host-sallyport_(?:visitor|flow)';
  const pair = String.raw`${own}\s*=[^;]*`;
  let source = '$service_cookies';
  for (const turn of ['once', 'twice']) {
    const target = `$own_cookies_${turn}`;
    out.block(`map ${source} ${target}`, () => {
      out.line(`default ${source}`);
      out.line('"" ""');
      out.line(`${pattern(`~^\\s*${pair}$`)} ""`);
      out.line(`${pattern(`~^\\s*${pair};\\s*(?<own_rest_${turn}>.*)$`)} $own_rest_${turn}`);
      out.line(
        `${pattern(`~^(?<own_head_${turn}>.*?)(?:;\\s*${pair})(?<own_tail_${turn}>;.*)?$`)} $own_head_${turn}$own_tail_${turn}`,
      );
    });
    source = target;
  }
  // Each is there once; somebody who sends more gets no cookie through at all.
  out.block(`map ${source} $backend_cookies`, () => {
    out.line(`default ${source}`);
    out.line('"" ""');
    out.line(`${pattern(`~(?:^|;)\\s*${own}\\s*=`)} ""`);
  });
}
