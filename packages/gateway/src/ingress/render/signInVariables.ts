import type { ConfigText } from './configText.ts';
import { pattern } from './text.ts';

/** The cookie of a visitor who signed in, and those of sign-ins on their way: one for each digit. */
const SESSION_COOKIE = '__Host-sallyport_visitor';
const FLOW_COOKIE = '__Host-sallyport_flow';
const FLOW_DIGITS = '[0-3]';
/** As many of these cookies can there be: one session and four sign-ins. */
const OWN_COOKIES = 5;
const WANTED_MAX_CHARS = 2000;
const ASKED_MAX_CHARS = 3000;

/** The variables of all servers with sign-in; nothing is worked out where none of them is used. */
export function writeSignInVariables(out: ConfigText): void {
  const end = String.raw`\s*(?:;|$)`;
  out.block('map $http_cookie $visitor_session', () => {
    const value = '(?<own_visitor_session>[A-Za-z0-9_-]{20,100})';
    out.line(`${pattern(`~(?:^|;)\\s*${SESSION_COOKIE}=${value}${end}`)} $own_visitor_session`);
  });
  // A `state` begins with the digit of the cookie that belongs to it.
  out.block('map "$arg_state $http_cookie" $visitor_flow', () => {
    const state = `(?<flow_digit>${FLOW_DIGITS})[A-Za-z0-9_-]+`;
    const found = String.raw`${FLOW_COOKIE}\k{flow_digit}=(?<own_visitor_flow>[A-Za-z0-9_-]{43})${end}`;
    out.line(`${pattern(String.raw`~^${state} (?:.*;)?\s*${found}`)} $own_visitor_flow`);
  });
  withoutOwnCookies(out);
  out.block('map $request_uri $wanted_uri', () => {
    out.line('default /');
    out.line(`"~^(?<short_uri>/.{0,${WANTED_MAX_CHARS}})$" $short_uri`);
  });
  // A segment of dots in any disguise, a separator that is encoded twice, and what no path of a browser has.
  const segmentEnd = String.raw`[/\\;?]|%(?:2f|5c|3b|3f|23|00)|$`;
  out.block('map $request_uri $path_trick', () => {
    const dots = String.raw`(?:[/\\;]|%(?:2f|5c|3b))(?:\.|%2e){1,2}(?:${segmentEnd})`;
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
  const own = `(?:${SESSION_COOKIE}|${FLOW_COOKIE}${FLOW_DIGITS})`;
  const pair = String.raw`${own}\s*=[^;]*`;
  let source = '$service_cookies';
  for (let turn = 1; turn <= OWN_COOKIES; turn += 1) {
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
  // Each is there once; a client that sends more gets no cookie through at all.
  out.block(`map ${source} $backend_cookies`, () => {
    out.line(`default ${source}`);
    out.line('"" ""');
    out.line(`${pattern(`~(?:^|;)\\s*${own}\\s*=`)} ""`);
  });
}
