import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

export type Page = { url: string; status: number; headers: IncomingHttpHeaders; body: string };
export type Asking = { method?: string; headers?: Record<string, string>; body?: string };

/** Keeps cookies and follows redirects as a browser does; every name leads to loopback. */
export type ScriptedBrowser = {
  /** One request, redirects not followed. */
  ask(url: string, how?: Asking): Promise<Page>;
  /** To where the redirects end. */
  open(url: string, how?: Asking): Promise<Page>;
  /** Sends the form of a page. */
  submit(page: Page, fields: Record<string, string>): Promise<Page>;
  /** The cookies of a host, by name. */
  cookies(host: string): Map<string, string>;
};

const REDIRECTS_MAX = 20;

/** @param follows whether a redirect is followed; where it is not, `open` and `submit` end with the redirect itself */
export function createScriptedBrowser(follows: (url: string) => boolean = () => true): ScriptedBrowser {
  const jars = new Map<string, Map<string, string>>();
  const cookies = (host: string): Map<string, string> => {
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };

  async function ask(url: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Page> {
    const { hostname, port, host, protocol } = new URL(url);
    // As it is written: a URL object would tidy the path up.
    const path = url.slice(url.indexOf('/', protocol.length + 2)) || '/';
    const cookie = [...cookies(hostname)].map((pair) => pair.join('=')).join('; ');
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method,
      agent: false,
      headers: { host, ...(cookie !== '' && { cookie }), ...headers },
    };
    const sent =
      protocol === 'https:'
        ? request({ ...options, servername: hostname, rejectUnauthorized: false })
        : plainRequest(options);
    sent.end(body);
    const [response] = (await Promise.race([once(sent, 'response'), once(sent, 'upgrade')])) as [IncomingMessage];
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/;\s*max-age=0/i.test(line) || value === '') cookies(hostname).delete(name);
      else cookies(hostname).set(name, value);
    }
    return { url, status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
  }

  async function open(url: string, how: Asking = {}): Promise<Page> {
    let page = await ask(url, how);
    for (let turn = 0; page.status >= 300 && page.status < 400; turn += 1) {
      if (turn === REDIRECTS_MAX) throw new Error(`redirects have no end: ${page.url}`);
      const next = new URL(page.headers.location ?? '', page.url).href;
      if (!follows(next)) return page;
      page = await ask(next);
    }
    return page;
  }

  return {
    ask,
    open,
    cookies,
    submit(page, fields) {
      const action = /<form[^>]*action="([^"]+)"/.exec(page.body)?.[1] ?? page.url;
      const hidden = [...page.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
      const body = new URLSearchParams({
        ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])),
        ...fields,
      });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return open(new URL(action, page.url).href, { method: 'POST', headers, body: body.toString() });
    },
  };
}
