import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog, inWords, systemClock } from './system.ts';
import { loggedUrl } from '../api/http/request.ts';
import { Secret } from '../vault/secret.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('rings at its time, once, and not when it was given up', () => {
  const ring = vi.fn<() => void>();
  const lost = vi.fn<() => void>();
  systemClock.wake(new Date(Date.now() + 90 * MINUTE_MS), ring);
  systemClock.wake(new Date(Date.now() + 90 * MINUTE_MS), lost)();
  vi.advanceTimersByTime(89 * MINUTE_MS);
  expect(ring).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100 * MINUTE_MS);
  expect(ring).toHaveBeenCalledTimes(1);
  expect(lost).not.toHaveBeenCalled();
});

it('rings a minute later at most on a machine that has slept past the time, or whose clock was set', () => {
  const ring = vi.fn<() => void>();
  systemClock.wake(new Date(Date.now() + 90 * MINUTE_MS), ring);
  vi.setSystemTime(Date.now() + 120 * MINUTE_MS);
  vi.advanceTimersByTime(MINUTE_MS + 1);
  expect(ring).toHaveBeenCalledTimes(1);
});

it('writes no secret, wherever it stands', () => {
  let written = '';
  const log = createLog('info', { write: (text: string) => void (written += text) });
  const headers = { authorization: 'Bearer hunter2', cookie: 'sallyport_session=hunter2' };
  log.info(
    { headers, password: 'hunter2', request: { body: { token: 'hunter2' } }, secret: new Secret('hunter2') },
    'hello',
  );
  expect(written).toContain('hello');
  expect(written).not.toContain('hunter2');
});

it('speaks in words on a terminal, with what it is about, and hides the same', () => {
  let written = '';
  const log = createLog('info', inWords({ write: (text: string) => void (written += text) }));
  log.warn({ interface: 'sallyport0', token: 'hunter2' }, 'a tunnel was taken away');
  log.info({}, 'stopping');
  log.error({ err: new Error('no room') }, 'it could not be closed');
  const [warned, told, failed, ...stack] = written.replaceAll(/^\d\d:\d\d:\d\d /gm, '').split('\n');
  expect([warned, told, failed]).toEqual([
    'Warning: a tunnel was taken away (interface: sallyport0, token: [redacted])',
    'stopping',
    'Error: it could not be closed',
  ]);
  expect(stack.join('\n')).toMatch(/^ {2}Error: no room\n {6}at /);
});

it('says nothing that a terminal obeys, whatever others have sent', () => {
  let written = '';
  const log = createLog('info', inWords({ write: (text: string) => void (written += text) }));
  const hostile = 'x\u001b]0;owned\u0007\r\n12:00:00 Error: forged\u202e';
  log.warn({ url: hostile, within: { name: hostile }, err: new Error(hostile) }, hostile);
  expect(written).not.toMatch(/(?!\n)\p{Cc}|\u202e|^12:00:00 Error: forged/mu);
});

it('takes the token out of a URL', () => {
  expect(loggedUrl('/api/nodes/stream?id=1&token=hunter2&x=1')).toBe('/api/nodes/stream?id=1&token=[redacted]&x=1');
  // However it is spelled, as long as it is understood as one.
  for (const name of ['%74oken', 'tok%65n', 'TOKEN', '%74%6F%6b%65%6e']) {
    expect(loggedUrl(`/api/nodes?${name}=hunter2`)).not.toContain('hunter2');
  }
  // Also where a client put it into one of the addresses that a shared stream is asked for.
  const shared = ['/api/nodes/stream?page=1', '/api/logs/stream?id=1&%74oken=hunter2#7'].map(encodeURIComponent);
  for (const name of ['of', '%6f%66']) {
    const logged = loggedUrl(`/api/streams?x=1&${name}=${shared.join('%0A')}`);
    expect(decodeURIComponent(logged)).toContain('/api/nodes/stream?page=1\n/api/logs/stream?id=1&token=[redacted]');
    expect(logged).not.toContain('hunter2');
  }
  expect(loggedUrl(`/api/nodes?search=${'a'.repeat(10_000)}`).length).toBeLessThan(1000);
  expect(loggedUrl('/api/streams?of=%2Fapi%2Fnodes')).toBe('/api/streams?of=%2Fapi%2Fnodes');
  expect(loggedUrl('http://gateway.example.com:9443/api/join?x=1')).toBe('/api/join?x=1');
  expect(loggedUrl('/api/nodes?page=%zz&search=a%20b')).toBe('/api/nodes?page=%zz&search=a%20b');
});
