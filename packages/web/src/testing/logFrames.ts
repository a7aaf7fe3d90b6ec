import { act, waitFor } from '@testing-library/react';
import { vi } from 'vitest';

// The document has no layout here; the panel needs a height to know which rows are visible.
const PANEL_PX = 400;

let frames: FrameRequestCallback[] = [];

/** Has frames wait for the test to draw them, in a document whose panels have a size, until what is stubbed is restored. */
export function holdFrames(): void {
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(PANEL_PX);
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800);
}

/** Draws the frames that wait. */
export const paint = () => act(() => frames.splice(0).forEach((frame) => frame(performance.now())));

/** Waits for something that may need another frame. */
export const painted = (check: () => void) =>
  waitFor(() => {
    paint();
    check();
  });
