import { fireEvent, screen, within } from '@testing-library/react';

/** Routes and dialogs are loaded when they are wanted, and the first time that takes a while. */
const PATIENCE = { timeout: 20_000 };

/** Presses the button of that name, as soon as it is there. */
export async function press(name: string | RegExp): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name }, PATIENCE));
}

/** Opens a row's menu, or the one of the button that is named; hands out its entries. */
export async function openMenu(row: string, button = `Actions of ${row}`): Promise<HTMLElement[]> {
  await press(button);
  const menu = await screen.findByRole('menu', { name: button }, PATIENCE);
  return within(menu).getAllByRole('menuitem');
}

/** Chooses an action from a row's menu. */
export async function choose(row: string, action: string): Promise<void> {
  const items = await openMenu(row);
  const item = items.find(({ textContent }) => textContent === action);
  if (!item) throw new Error(`${row} offers no ${action}, but ${items.map((one) => one.textContent).join(', ')}`);
  fireEvent.click(item);
}

/** The dialog on the screen. */
export const dialog = (name: string | RegExp): Promise<HTMLElement> => screen.findByRole('dialog', { name }, PATIENCE);

/** Types into the field of that name and leaves it. */
export async function type(label: string | RegExp, text: string): Promise<void> {
  const field = await screen.findByLabelText(label, {}, PATIENCE);
  fireEvent.change(field, { target: { value: text } });
  fireEvent.blur(field);
}
