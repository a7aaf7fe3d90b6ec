import { getConfig, waitFor } from '@testing-library/react';
import { createRoot } from 'react-dom/client';
import { expect, it } from 'vitest';
import { Calendar } from './Calendar.tsx';

const NOVEMBER = new Date(2026, 10, 22);

/** Presses a button the moment that it has come: before what runs a moment later, which `act` would have run. */
function pressAtOnce(host: HTMLElement, name: string): Promise<void> {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const button = host.querySelector<HTMLButtonElement>(`[aria-label="${name}"]`);
      if (button === null) return;
      observer.disconnect();
      button.click();
      resolve();
    });
    observer.observe(host, { childList: true, subtree: true });
  });
}

it('turns to the next month for somebody who is quick', async () => {
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  // A live reader's page does not wait for effects, and neither does `asyncWrapper`.
  await getConfig().asyncWrapper(async () => {
    const pressed = pressAtOnce(host, 'Go to the Next Month');
    root.render(
      <Calendar label="Day" selected={undefined} onSelect={() => {}} earliest={NOVEMBER} latest={new Date(2036, 11)} />,
    );
    await pressed;
    await waitFor(() => expect(host.textContent).toContain('December 2026'));
    root.unmount();
  });
  host.remove();
});
