import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore, type Store } from '../store/store.ts';
import { aNode } from '../testing/storedRows.ts';
import { type AskAddress, askOnTerminal, chooseAddress } from './chooseAddress.ts';

const CANDIDATES = [
  { host: '203.0.113.7', what: 'the address of eth0' },
  { host: 'gw.example.test', what: 'the name of this machine' },
];

let store: Store;
beforeEach(() => {
  store = openStore(':memory:', () => new Date());
});
afterEach(() => store.close());

const start = (given: { env?: string; found?: typeof CANDIDATES; ask?: AskAddress } = {}) =>
  chooseAddress(
    store,
    { host: given.env ?? 'debian', isHostGiven: given.env !== undefined },
    { candidates: async () => given.found ?? CANDIDATES, ask: given.ask ?? null },
  );
const stored = () => store.settings.get('publicAddress');

it('takes the most likely at the first start, says so once, and keeps it', async () => {
  expect(await start()).toEqual({
    host: '203.0.113.7',
    source: 'setting',
    notice: expect.stringMatching(/203\.0\.113\.7 \(the address of eth0\).*Settings.*SALLYPORT_VPN_HOST/),
  });
  expect(await start({ found: [] })).toEqual({ host: '203.0.113.7', source: 'setting', notice: null });
});

it('asks once where it can, and takes the answer', async () => {
  const asked: string[] = [];
  const ask: AskAddress = async (candidates, usual) => {
    asked.push(`${candidates.length} ${usual}`);
    return 'gw.example.com';
  };
  expect(await start({ ask })).toEqual({ host: 'gw.example.com', source: 'setting', notice: null });
  await start({ ask });
  expect(asked).toEqual(['2 203.0.113.7']);
});

it('does what the environment says, and keeps what was stored for when it says nothing', async () => {
  await start();
  expect(await start({ env: 'vpn.example.test' })).toMatchObject({ host: 'vpn.example.test', source: 'environment' });
  expect(await stored()).toBe('203.0.113.7');
  expect(await start()).toMatchObject({ host: '203.0.113.7' });
});

it.each([
  ['was started by an earlier version', () => store.write((tx) => tx.settings.set('httpPort', '80'))],
  ['has nodes of another server', () => store.write((tx) => tx.nodes.create(aNode))],
])('leaves a gateway that %s with the name of the machine', async (_, before) => {
  await before();
  const ask = async (): Promise<string> => Promise.reject(new Error('no one is asked'));
  expect(await start({ ask })).toEqual({ host: 'debian', source: 'machine', notice: null });
  expect(await stored()).toBeNull();
});

it('stores nothing where nothing was found and no one said better', async () => {
  expect(await start({ found: [] })).toMatchObject({ host: 'debian', source: 'machine' });
  expect(await start({ found: [], ask: async (_, usual) => usual })).toMatchObject({ source: 'machine' });
  expect(await stored()).toBeNull();
});

it('starts with the name of the machine where the row is damaged', async () => {
  await store.write(async (tx) => {
    await tx.settings.set('httpPort', '80');
    await tx.settings.set('publicAddress', 'http://x');
  });
  expect(await start()).toMatchObject({ host: 'debian', source: 'machine' });
});

function terminal() {
  const input = new PassThrough();
  const signal = new AbortController();
  let shown = '';
  const output = { write: (text: string) => (shown += text) };
  const answer = askOnTerminal({ input, output }, signal.signal)(CANDIDATES, '203.0.113.7');
  return { input, answer, stop: () => signal.abort(), shown: () => shown };
}

it.each([
  ['\n', '203.0.113.7'],
  ['2\n', 'gw.example.test'],
  [' GW.example.com \n', 'gw.example.com'],
  ['2001:db8::7\n', '2001:db8::7'],
])('reads %j on a terminal as %s', async (typed, expected) => {
  const { input, answer, shown } = terminal();
  input.write(typed);
  expect(await answer).toBe(expected);
  expect(shown()).toMatch(/ 1 {2}203\.0\.113\.7 {6}the address of eth0\n {2}2 {2}gw/);
});

it('asks again after what is no address, and takes the usual one when the input ends', async () => {
  const { input, answer, shown } = terminal();
  input.end('http://x\n3\n');
  expect(await answer).toBe('203.0.113.7');
  expect(shown().match(/neither a number/g)).toHaveLength(2);
});

it('is not started when it is ended instead of answered', async () => {
  const { answer, stop } = terminal();
  stop();
  await expect(answer).rejects.toThrow('not started');
});
