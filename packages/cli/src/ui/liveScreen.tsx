import { render, useInput } from 'ink';
import type { ReactElement } from 'react';
import type { Context } from '../context.ts';
import { Failure } from '../context.ts';

/** What a screen is told about the keys that end it. */
export type Keys = { canType: boolean; onQuit: () => void; onInterrupt: () => void };

/** Ends a screen on `q` and on Ctrl+C. */
export function useKeys({ canType, onQuit, onInterrupt }: Keys): void {
  useInput(
    (input, key) => {
      if (key.ctrl && input === 'c') onInterrupt();
      else if (input === 'q') onQuit();
    },
    { isActive: canType },
  );
}

type LiveScreen = {
  /** How often what counts from now ("2 minutes ago") is drawn anew. */
  tickMs: number;
  element: (keys: Keys) => ReactElement;
  /** Finds out what there is to show and draws it, until it ends, fails, or `until` is aborted. */
  follow: (draw: () => void, until: AbortSignal) => Promise<void>;
};

/**
 * Draws `element` at once, before anything is known, and then as `follow` says, until `q` or Ctrl+C. When `follow` fails
 * before it drew, nothing is left of the screen but the error.
 */
export async function liveScreen({ io, signal }: Context, { tickMs, element, follow }: LiveScreen): Promise<void> {
  const quit = new AbortController();
  const until = AbortSignal.any([signal, quit.signal]);
  const ended = new Promise<void>((resolve) => until.addEventListener('abort', () => resolve(), { once: true }));
  const keys: Keys = {
    canType: io.canAsk,
    onQuit: () => quit.abort(),
    onInterrupt: () => quit.abort(new Failure('interrupted', 'Interrupted.')),
  };
  // Who asks for a screen on a terminal gets one, also where CI is set, which Ink would take for nobody to look.
  const how = { ...io.streams, interactive: true, exitOnCtrlC: false, patchConsole: false };
  const screen = render(element(keys), how);
  const draw = () => screen.rerender(element(keys));
  const tick = setInterval(draw, tickMs);
  let isEmpty = true;
  try {
    const work = follow(() => {
      isEmpty = false;
      draw();
    }, until);
    await Promise.race([work, ended]);
  } catch (error) {
    if (!quit.signal.aborted) {
      if (isEmpty) screen.rerender(<></>);
      throw error;
    }
  } finally {
    quit.abort();
    clearInterval(tick);
    screen.unmount();
    await screen.waitUntilExit();
  }
  signal.throwIfAborted();
  if (quit.signal.reason instanceof Failure) throw quit.signal.reason;
}
