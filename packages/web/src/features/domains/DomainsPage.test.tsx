import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, press, type } from '../../testing/gestures.ts';
import { openConsole } from '../../testing/openConsole.tsx';

const TITLE = 'Domain & SSL Settings';
const select = () => screen.getByLabelText<HTMLSelectElement>('SSL');

it('lists domains with their certificates, and unfolds to the services behind them', async () => {
  await openConsole({ path: '/domains' });
  const row = (await screen.findByText('app.example.test')).closest('tr');
  expect(row?.textContent).toContain('Self Signed');
  expect(row?.textContent).toMatch(/\d\d\/\d\d\/\d{4}/);
  await press('Services of app.example.test');
  await screen.findByRole('link', { name: 'https://app.example.test/' });
  expect(screen.queryByText('Wiki')).toBeNull();
});

it('offers to skip validation only when the domain is refused, which forces a self-signed certificate', async () => {
  const { gateway } = await openConsole({ path: '/domains' });
  gateway.world.setPointsHere(() => false);
  await press('Add Domain');
  await dialog(TITLE);
  expect(screen.queryByLabelText('Skip Domain Validation')).toBeNull();
  await type(/^Domain\*?$/, 'new.example.test');
  await press('Save');
  const skip = await screen.findByLabelText('Skip Domain Validation');
  const field = screen.getByLabelText(/^Domain\*?$/);
  expect(field.getAttribute('aria-invalid')).toBe('true');

  fireEvent.change(select(), { target: { value: 'certbot' } });
  fireEvent.click(skip);
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBeNull());
  expect([select().value, select().disabled]).toEqual(['self-signed', true]);
  await press('Save');
  await screen.findByText('Domain created successfully!');
  await screen.findByText('new.example.test');
});

it('starts the allowed e-mails with one empty entry, and clears them again', async () => {
  await openConsole({ path: '/domains' });
  await choose('app.example.test', 'Edit Domain');
  const form = within(await dialog(TITLE));
  fireEvent.click(form.getByLabelText('Enable OAuth2 authentication'));
  expect((await form.findByLabelText<HTMLInputElement>('Allowed e-mail 1')).value).toBe('');
  await press('Save');
  await screen.findByText('This field must be a valid email');
  fireEvent.click(form.getByLabelText('Enable OAuth2 authentication'));
  await waitFor(() => expect(form.queryByLabelText('Allowed e-mail 1')).toBeNull());
  await press('Save');
  await screen.findByText('Domain updated successfully!');
});

it('deletes a domain after a question', async () => {
  await openConsole({ path: '/domains' });
  await choose('app.example.test', 'Delete Domain');
  const question = await screen.findByRole('alertdialog', { name: 'Remove domain' });
  expect(question.textContent).toContain('Are you sure you want to delete this domain?');
  await press('Yes, delete it!');
  await screen.findByText('Domain deleted successfully!');
  await screen.findByText('No domains yet');
});

it('goes back to the last page there is', async () => {
  const { path } = await openConsole({ path: '/domains?page=2' });
  await screen.findByText('app.example.test');
  expect(path()).toBe('/domains?page=1');
});
