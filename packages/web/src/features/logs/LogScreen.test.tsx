import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openConsole } from '../../testing/openConsole.tsx';

// The document has no layout here; the panel needs a height to know which rows are visible.
const PANEL_PX = 400;

let frames: FrameRequestCallback[] = [];
const paint = () => act(() => frames.splice(0).forEach((frame) => frame(performance.now())));

beforeEach(() => {
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(PANEL_PX);
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const shown = () => [...document.querySelectorAll<HTMLElement>('[data-line]')];
const textShown = () => shown().map(({ textContent }) => textContent);

async function openLog() {
  const opened = await openConsole({ path: '/domains/app.example.test/logs' });
  const key = { kind: 'domain', id: opened.ids.domainId } as const;
  const push = (...lines: string[]) => opened.gateway.system.logs.push(key, lines);
  push('the first line');
  await screen.findByText('Live', {}, { timeout: 4000 });
  await waitFor(() => {
    paint();
    expect(textShown()).toContain('the first line');
  });
  return { ...opened, push };
}

it('shows history and new lines, coloured by level, with what a visitor wrote as text', async () => {
  const { push } = await openLog();
  push(
    '[ERROR] the disk is full',
    'WARN slowly',
    'INFO all well',
    'DEBUG here',
    'plain \u001b[31m<img src=x onerror=alert(1)>',
  );
  await waitFor(() => {
    paint();
    expect(textShown()).toContain('plain \\x1b[31m<img src=x onerror=alert(1)>');
  });
  const levels = Object.fromEntries(shown().map(({ textContent, dataset }) => [textContent, dataset['level']]));
  expect(levels).toMatchObject({
    '[ERROR] the disk is full': 'error',
    'WARN slowly': 'warn',
    'INFO all well': 'info',
    'DEBUG here': 'debug',
    'the first line': 'neutral',
  });
  expect(document.querySelector('[data-line] img')).toBeNull();
});

it('draws at most once a frame, however many lines come', async () => {
  const { push } = await openLog();
  for (let count = 0; count < 50; count += 1) push(`line ${count}`);
  await waitFor(() => expect(frames).toHaveLength(1));
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  expect(frames).toHaveLength(1);
  expect(textShown()).not.toContain('line 0');
  paint();
  await waitFor(() => {
    paint();
    expect(textShown()).toContain('line 0');
  });
});

it('keeps 1000 lines, draws only those in sight, and follows the end', async () => {
  const { push } = await openLog();
  const panel = screen.getByRole('region', { name: 'Real time logs of app.example.test' });
  push(...Array.from({ length: 1200 }, (_, count) => `line ${count}`));
  await waitFor(() => {
    paint();
    const spacers = [...panel.querySelectorAll<HTMLElement>(':scope > div:not([data-line])')];
    const hiddenPx = spacers.reduce((sum, { style }) => sum + Number.parseInt(style.height, 10), 0);
    expect(hiddenPx + shown().length * 20).toBe(20_000);
  });
  expect(shown().length).toBeLessThan(100);
});

it('comes back after a second, with a remark where lines may be missing', async () => {
  const { answer, router, requests } = await openConsole({ path: '/' });
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('data: ["before the break"]\n\n'));
      controller.close();
    },
  });
  answer('GET /api/logs/stream', () => new Response(broken, { headers: { 'content-type': 'text/event-stream' } }));
  await router.navigate({ to: '/domains/$domain/logs', params: { domain: 'app.example.test' } });
  await screen.findByText('Reconnecting', {}, { timeout: 4000 });
  await screen.findByText('Live', {}, { timeout: 4000 });
  await waitFor(() => {
    paint();
    expect(textShown().at(-1)).toContain('lines in between may be missing');
  });
  expect(requests.filter((request) => request.startsWith('GET /api/logs/stream'))).toHaveLength(2);
});
