import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expose, openReconcileTrial, type ReconcileTrial, startBackend, visit } from '../testing/reconcileTrial.ts';
import { openHttp2, rawRequest } from '../testing/wire.ts';

// Which cookies of a visitor a backend gets to see.

let trial: ReconcileTrial;
const host = 'cookies.example.test';

beforeAll(async () => {
  trial = await openReconcileTrial();
  const { port } = await startBackend(({ headers }, response) =>
    response.end(JSON.stringify([headers.cookie ?? null])),
  );
  await expose(trial, host, port);
});
afterAll(() => trial.close());

const passedIn = (answer: string): string | null =>
  (JSON.parse(answer.slice(answer.indexOf('['), answer.lastIndexOf(']') + 1)) as (string | null)[])[0] ?? null;
const OWN = 'sallyport_session=s3cret';
it.each<[cookie: string, passed: string | null]>([
  ['a=1', 'a=1'],
  [OWN, null],
  [`${OWN}; a=1`, 'a=1'],
  [`a=1; ${OWN}`, 'a=1'],
  [`a=1; ${OWN}; b=2`, 'a=1; b=2'],
  [`${OWN}; a=1; ${OWN}`, 'a=1'],
  [`a=1; ${OWN}; ${OWN}; ${OWN}`, null],
  ['my_sallyport_session=x; a=1', 'my_sallyport_session=x; a=1'],
  // Nor a visitor's, of a name that does not ask for a sign-in now, and will again.
  ['a=1; __Host-sallyport_visitor=s3cret; b=2', 'a=1; b=2'],
  [`${OWN}; __Host-sallyport_flow0=s3cret; __Host-sallyport_visitor=s3cret`, null],
  ['__Host-other=1; a=2', '__Host-other=1; a=2'],
  ['n\u00efce=1; __Host-other=1', 'n\u00efce=1; __Host-other=1'],
  // A page below the same parent may set these, and some backends read them as the name that it may not.
  ['a=1; \u00a0__host-other=1', null],
  ['\u00e2\u0080\u0080__Secure-other=1', null],
  ['$Version=1,__Host-other=1', null],
  ['$Version=1; a=1, __Host-other=1', null],
  // Libraries end a value at a blank, and begin a cookie there.
  ['__Host-other=1; a=1 __Host-other=2', null],
  ['a="1"\t__Host-other=2', null],
  ['a=1,__Host-other=2', null],
  ['%5f_Host-other=1', null],
  ['__%48o%53t-other=1', null],
  ['_[%73ecure%2dother=1', null],
  ['..Secure-other=1', null],
  ['a=1;__secure-other=1; a=_host-name; b=%48ost-', 'a=1;__secure-other=1; a=_host-name; b=%48ost-'],
  // Whatever a backend makes of escapes: those of JavaScript, of UTF-8 that is longer than it need be, of escapes, and of
  // letters that fold to these or stand for them.
  ['a=1; %u005f%u005fHost-other=1', null],
  ['__Ho%u0073t-other=1', null],
  ['__Host%u002dother=1', null],
  ['%u005f_Secure-other=1', null],
  ['_%255fHost-other=1', null],
  ['%255f_Host-other=1', null],
  ['%c1%9f_Host-other=1', null],
  ['%e0%81%9f_Host-other', null],
  ['__Ho%c5%bft-other=1', null],
  ['__Ho\u00c5\u00bft-other=1', null],
  ['%ef%bc%bf_Host-other=1', null],
  ['%20%u005f_Host-other=1', null],
  ['\u00a0%u005f_Host-other=1', null],
  ['a=1; \\137_Host-other=1', null],
  ['_\\u005fHost-other=1', null],
  // Flask took names out of their quotes as it does values.
  [String.raw`a=1; "\137\137Host-other"=1`, null],
  [String.raw`"\_\_Host-other"=1`, null],
  [String.raw`"__\Host-other"=1; b=2`, null],
  [String.raw`a=1, "\_\_Host-other"=1`, null],
  ['a=1, %u005f_Host-other=1', null],
  ['a=1,\u00a0%u005f_Host-other=1', null],
  ['a="1" _%u005fHost-other=1; b=2', null],
  ...[
    'user%5Bid%5D=1; _ga=GA1.2%20x; .AspNetCore.Culture=c%3Den',
    '%D0%BF=1; %e3%81%82=2; a="%7B%22_a%22%3A1%7D"; b=%u005f_Host-x',
    String.raw`a="{\"_b\":\"c=d\"}"; e="\"k=v\""`,
    '__Host-other%20name=1; __Secure-b=%5f',
  ].map((cookie): [string, string] => [cookie, cookie]),
  // So long that a pattern which goes back would be given up.
  [`${'\u00ff'.repeat(5000)}=1; \u00a0__Host-other=1; ${OWN}`, null],
  [`${'\u00ff'.repeat(5000)}=1; __Host-other=1; ${OWN}`, `${'\u00ff'.repeat(5000)}=1; __Host-other=1`],
])('a backend sees no cookie of the gateway’s own, and none in disguise: of %s it sees %s', async (cookie, passed) => {
  expect(passedIn((await visit(trial, host, { headers: { cookie } })).body)).toBe(passed);
});

it('a backend never sees the console’s cookie, also not in two headers of which one alone would pass', async () => {
  const lines = ['GET / HTTP/1.1', `Host: ${host}`, `Cookie: a=1; ${OWN}`, `Cookie: ${OWN}; b=2`];
  expect(passedIn(await rawRequest(trial, host, lines))).toBe('a=1; b=2');
  const session = await openHttp2(trial, host);
  const stream = session.request({ ':path': '/', cookie: 'a=1; sallyport_session=s' });
  expect(passedIn(await text(stream))).toBe('a=1');
  session.close();
});
