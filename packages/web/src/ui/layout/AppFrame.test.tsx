import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Sidebar, SidebarLink, SidebarSection } from './AppFrame.tsx';

function open() {
  const onOpenChange = vi.fn<(open: boolean) => void>();
  // What lies under a dialog that is opened so is inert, and the browser closes it on Escape.
  const showModal = vi.spyOn(HTMLDialogElement.prototype, 'showModal');
  render(
    <Sidebar home={<a href="/">Home</a>} collapsed onCollapsedChange={() => undefined} open onOpenChange={onOpenChange}>
      <SidebarSection title="Pages">
        <SidebarLink label="Nodes" icon={null} link={<a href="/nodes">Nodes</a>} />
      </SidebarSection>
    </Sidebar>,
  );
  const drawer = screen.getByRole<HTMLDialogElement>('dialog', { name: 'Navigation' });
  return { drawer, onOpenChange, showModal };
}

it('closes on small screens by a press outside, not by one inside', () => {
  const { drawer, onOpenChange } = open();
  fireEvent.click(drawer.querySelector('nav') ?? document.body);
  expect(onOpenChange).not.toHaveBeenCalled();
  fireEvent.click(drawer);
  expect(onOpenChange).toHaveBeenCalledExactlyOnceWith(false);
});

it('is a modal dialog on small screens, which Escape closes', () => {
  const { drawer, onOpenChange, showModal } = open();
  expect(showModal).toHaveBeenCalledOnce();
  // What the browser does with the key in a modal dialog.
  drawer.close();
  expect(onOpenChange).toHaveBeenCalledExactlyOnceWith(false);
  showModal.mockRestore();
});
