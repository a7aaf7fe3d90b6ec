import { render, useInput } from 'ink';
import type { ReactElement } from 'react';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';

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

/** The terminal's second screen, from its first line on. Ink's own way to it begins in the middle, where the cursor stood. */
const OWN_SCREEN = { enter: '\x1b[?1049h\x1b[H', clear: '\x1b[2J\x1b[H', leave: '\x1b[?1049l' };

type LiveScreen = {
  /** How often what counts from now ("2 minutes ago") is drawn again. */
  tickMs: number;
  element: (keys: Keys) => ReactElement;
  /** Finds out what there is to show and draws it, until it ends, fails, or `until` is aborted. */
  follow: (draw: () => void, until: AbortSignal) => Promise<void>;
};

/**
 * Draws `element` at once, before anything is known, and then as `follow` says, until `q` or Ctrl+C. It has the whole terminal while it
 * lasts; what stood there before is there again behind it, with the error when `follow` fails.
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
  // Who asks for a screen on a terminal gets one, also where CI is set, which Ink would take for no one to look.
  const how = { ...io.streams, interactive: true, exitOnCtrlC: false, patchConsole: false };
  const { stdout } = io.streams;
  stdout.write(OWN_SCREEN.enter);
  // Heard before Ink hears it: what a terminal folds when its size changes could not be drawn over.
  const clear = () => void stdout.write(OWN_SCREEN.clear);
  stdout.on('resize', clear);
  const screen = render(element(keys), how);
  const draw = () => screen.rerender(element(keys));
  const tick = setInterval(draw, tickMs);
  try {
    await io.drawing(() => Promise.race([follow(draw, until), ended]));
  } catch (error) {
    if (!quit.signal.aborted) throw error;
  } finally {
    quit.abort();
    clearInterval(tick);
    screen.unmount();
    await screen.waitUntilExit();
    stdout.off('resize', clear);
    stdout.write(OWN_SCREEN.leave);
  }
  signal.throwIfAborted();
  if (quit.signal.reason instanceof Failure) throw quit.signal.reason;
}
