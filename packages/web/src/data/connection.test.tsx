import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toasts } from '../state/toasts.ts';
import { choose, openConsole, press, refusal, reported, uncaught } from '../testing/openConsole.tsx';
import { tellOfWaits } from './connection.ts';

describe('a failed call', () => {
  // React and the router each tell a developer about a page that failed.
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation((...said: unknown[]) => {
      if (said.length === 1) reported.push(said[0]);
    });
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => void vi.restoreAllMocks());

  it.each([401, 403, 429])('signs out when the gateway answers %i to a token', async (status) => {
    const { answer, connection, path, requests } = await openConsole({ path: '/nodes' });
    answer('GET /api/domains', () => refusal(status, { message: 'no' }));
    fireEvent.click(await screen.findByRole('link', { name: 'Domain Names' }));
    await screen.findByRole('button', { name: 'Sign in' });
    expect(connection.session.token()).toBeNull();
    expect(requests).toContain('POST /api/auth/logout');
    expect(path()).toMatch(/^\/login\?redirect=%2F(nodes|domains)$/);
  });

  it.each([
    ['The port is taken', { message: 'The port is taken' }],
    ['Unknown Error', {}],
  ])('tells a refusal in a toast: %s', async (text, body) => {
    const { answer, ids } = await openConsole({ path: '/nodes' });
    answer(`DELETE /api/nodes/${ids.edgeId}`, () => refusal(400, body));
    await choose('edge', 'Delete Node');
    await press('Yes, delete it!');
    await screen.findByText(text);
    expect(reported).toEqual([]);
  });

  it('logs any other failure, and tells it when it is of what was asked for', async () => {
    const { answer, ids } = await openConsole({ path: '/nodes' });
    answer(`PATCH /api/nodes/${ids.edgeId}/disable`, () => refusal(500, { message: 'The disk is full' }));
    await choose('edge', 'Disconnect');
    await press('Yes, disconnect!');
    await screen.findByText('The disk is full');
    expect(reported).toMatchObject([{ kind: 'server', requestId: 'r-1' }]);
    expect(uncaught).toEqual([]);
  });

  it('shows a page that could not be loaded, with the number of the request, and tries again', async () => {
    const { answer } = await openConsole({ path: '/' });
    await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
    answer('GET /api/domains', () => refusal(500, { message: 'The database is locked' }));
    fireEvent.click(screen.getByRole('link', { name: 'Domain Names' }));
    await screen.findByText('Something went wrong');
    expect(screen.getByText('Request r-1')).toBeDefined();
    await press('Try again');
    await screen.findByText('app.example.test');
  });
});

describe('a call that takes long', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    toasts.clear();
    vi.useRealTimers();
  });

  const call = (headers: Record<string, string> = {}) => new Request('http://gateway.test/api/nodes', { headers });
  const told = () => toasts.get().map(({ message }) => message);

  it('tells once that calls wait, and no longer than they do', async () => {
    const answers = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
    const pending = [...answers];
    const fetch = tellOfWaits(() => pending.shift()?.promise ?? Promise.reject(new Error('one too many')));
    const calls = [fetch(call()), fetch(call())];
    await vi.advanceTimersByTimeAsync(3900);
    expect(told()).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(told()).toEqual([expect.stringMatching(/^Still waiting for the gateway\. .* six connections/)]);
    answers[0]?.resolve(new Response());
    await calls[0];
    expect(told()).toHaveLength(1);
    answers[1]?.reject(new TypeError('connection reset'));
    await expect(calls[1]).rejects.toThrow('connection reset');
    expect(told()).toEqual([]);
  });

  it('says nothing of a stream, which may be quiet', async () => {
    const fetch = tellOfWaits(() => new Promise(() => undefined));
    void fetch(call({ accept: 'text/event-stream' }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told()).toEqual([]);
  });
});
