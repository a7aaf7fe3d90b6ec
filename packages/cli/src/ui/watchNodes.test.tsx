import type { Node } from '@sallyport/sdk/contract';
import { node } from '@sallyport/sdk/contract';
import { render } from 'ink-testing-library';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { NodeScreen } from './watchNodes.tsx';

const nodeOf = (id: number, more: Partial<Node> = {}): Node =>
  z.parse(node, {
    id,
    name: `node-${id}`,
    address: `10.88.0.${id}`,
    allowInternet: false,
    isGateway: false,
    isLocal: false,
    enabled: true,
    ...more,
  });

function screenOf(nodes: Node[], total = nodes.length) {
  const props = {
    now: new Date('2026-11-21T12:00:00Z'),
    paint: (_tone: string, text: string) => text,
    canType: true,
    onQuit: () => undefined,
    onInterrupt: () => undefined,
  };
  const page = { data: nodes, page: 1, limit: nodes.length, total };
  const screen = render(<NodeScreen {...props} page={page} connection="live" />);
  return {
    ...screen,
    show: (next: Node[]) => screen.rerender(<NodeScreen {...props} page={{ ...page, data: next }} connection="lost" />),
  };
}

describe('the live nodes', () => {
  it('shows each node and whether it is live, and what changed', () => {
    const screen = screenOf([nodeOf(2), nodeOf(3)]);
    expect(screen.lastFrame()).toMatch(/ID {2}NAME .*\n 2 {2}node-2 .*waiting.*\n 3 {2}node-3 .*\n\nLive {2}q quits/);
    screen.show([nodeOf(2, { status: 'online' })]);
    expect(screen.lastFrame()).toMatch(/node-2 .*online/);
    expect(screen.lastFrame()).not.toContain('node-3');
    expect(screen.lastFrame()).toContain('The connection broke off');
  });

  it('never grows taller than the terminal', () => {
    const screen = screenOf(Array.from({ length: 200 }, (_, index) => nodeOf(index + 1)));
    const lines = (screen.lastFrame() ?? '').split('\n');
    expect(lines.length).toBeLessThan(24);
    expect(lines.at(-1)).toMatch(/\d+ more: see --search, --limit, --page/);
  });

  it('says so when there are none', () => {
    expect(screenOf([]).lastFrame()).toContain('There are no such nodes.');
  });
});
