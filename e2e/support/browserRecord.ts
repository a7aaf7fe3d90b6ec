import { type CDPSession, type ConsoleMessage, expect, type Page } from '@playwright/test';

/** A request that the page made, and what came back. Headers have lower-case names. */
export type Exchange = {
  method: string;
  url: string;
  requestHeaders: Record<string, string>;
  requestBody: string;
  replyHeaders: Record<string, string>;
  /** Of a stream, what came so far. */
  replyBody: string;
};

/** What a browser's tools would show of a page since `recordBrowser`. */
export type BrowserRecord = {
  readonly exchanges: Exchange[];
  /** Every address that the page had. */
  readonly addresses: string[];
  /** What the browser's console says, uncaught errors too. */
  readonly said: string[];
  /** What the Content-Security-Policy forbade. */
  readonly violations: string[];
  /** Fulfilled when everything but streams was answered and read: what is on its way when a page is left cannot be looked at. */
  settled(): Promise<void>;
};

/** Writes down what a page sends, gets, says and is forbidden, from now on. */
export async function recordBrowser(page: Page): Promise<BrowserRecord> {
  const addresses: string[] = [];
  const said: string[] = [];
  const violations: string[] = [];
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  page.on('console', (message: ConsoleMessage) => said.push(`${message.text()} (${message.location().url})`));
  page.on('pageerror', (error) => said.push(`${error.message} ${error.stack ?? ''}`));
  await page.exposeFunction('reportViolation', (text: string) => violations.push(text));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report: unknown = Reflect.get(globalThis, 'reportViolation');
      if (typeof report === 'function') report(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  const { exchanges, settled } = await recordNetwork(await page.context().newCDPSession(page));
  return { exchanges, addresses, said, violations, settled };
}

/** From the browser's own protocol: it tells every header, cookies too, and the parts of a stream that goes on. */
async function recordNetwork(session: CDPSession): Promise<Pick<BrowserRecord, 'exchanges' | 'settled'>> {
  const exchanges = new Map<string, Exchange>();
  /** The addresses of what was asked for and not read yet. */
  const underWay = new Map<string, string>();
  const all: Exchange[] = [];
  // The headers as they are sent may be told before the request itself.
  const exchangeOf = (id: string): Exchange => {
    const known = exchanges.get(id);
    if (known) return known;
    const made = { method: '', url: '', requestHeaders: {}, requestBody: '', replyHeaders: {}, replyBody: '' };
    exchanges.set(id, made);
    all.push(made);
    return made;
  };
  const add = (to: Record<string, string>, headers: object) => {
    for (const [name, value] of Object.entries(headers)) to[name.toLowerCase()] = String(value);
  };
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const exchange = exchangeOf(requestId);
    Object.assign(exchange, { method: request.method, url: request.url, requestBody: request.postData ?? '' });
    add(exchange.requestHeaders, request.headers);
    underWay.set(requestId, request.url);
  });
  session.on('Network.loadingFailed', ({ requestId }) => void underWay.delete(requestId));
  session.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) =>
    add(exchangeOf(requestId).requestHeaders, headers),
  );
  session.on('Network.responseReceivedExtraInfo', ({ requestId, headers }) =>
    add(exchangeOf(requestId).replyHeaders, headers),
  );
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const exchange = exchangeOf(requestId);
    add(exchange.replyHeaders, response.headers);
    if (response.mimeType !== 'text/event-stream') return;
    underWay.delete(requestId);
    session
      .send('Network.streamResourceContent', { requestId })
      .then(({ bufferedData }) => (exchange.replyBody += decoded(bufferedData)))
      .catch((error: unknown) => (exchange.replyBody += unread(error)));
  });
  session.on('Network.dataReceived', ({ requestId, data }) => {
    if (data !== undefined) exchangeOf(requestId).replyBody += decoded(data);
  });
  session.on('Network.loadingFinished', ({ requestId }) => {
    const exchange = exchangeOf(requestId);
    if (exchange.replyBody !== '') {
      underWay.delete(requestId);
      return;
    }
    session
      .send('Network.getResponseBody', { requestId })
      .then(({ body, base64Encoded }) => (exchange.replyBody = base64Encoded ? decoded(body) : body))
      .catch((error: unknown) => (exchange.replyBody = unread(error)))
      .finally(() => underWay.delete(requestId));
  });
  await session.send('Network.enable');
  const settled = () => expect.poll(() => [...underWay.values()], 'what was not read yet').toEqual([]);
  return { exchanges: all, settled };
}

const decoded = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
const unread = (error: unknown) => `[not read: ${error instanceof Error ? error.message : String(error)}]`;
