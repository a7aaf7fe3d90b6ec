import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openConsole, press, type } from '../../testing/openConsole.tsx';

const card = async (name: string) => within(await screen.findByRole('region', { name }));
const valueOf = async (label: RegExp) => (await screen.findByLabelText<HTMLInputElement>(label)).value;

it('sets up an identity provider, whose secret is never shown, and takes it away', async () => {
  const { gateway } = await openConsole({ path: '/settings/sign-in', environment: {} });
  await type(/^Issuer/, 'http://id.example.test');
  fireEvent.blur(screen.getByLabelText(/^Issuer/));
  expect(await screen.findByText(/^Enter an https address/)).toBeDefined();
  await type(/^Issuer/, 'https://id.example.test');
  await press('Save');
  expect(await screen.findByText('This field is required')).toBeDefined();
  await type(/^Client ID/, 'sallyport');
  await type(/^Client secret/, 'whispered');
  await press('Save');
  expect(await screen.findByText('Identity provider saved')).toBeDefined();
  await waitFor(() =>
    expect(screen.getByLabelText(/^Client secret/).getAttribute('placeholder')).toBe('Stored, not shown'),
  );
  expect([await valueOf(/^Issuer/), await valueOf(/^Client ID/), await valueOf(/^Client secret/)]).toEqual([
    'https://id.example.test',
    'sallyport',
    '',
  ]);
  expect(document.body.innerHTML).not.toContain('whispered');

  await type(/^Client ID/, 'other');
  await press('Save');
  const field = within((await screen.findByLabelText(/^Client secret/)).closest('div.flex') ?? document.body);
  expect(await field.findByText('This field is required')).toBeDefined();
  await type(/^Client secret/, 'whispered again');
  await press('Save');
  await waitFor(async () => expect(await gateway.store.settings.get('identityProvider')).toContain('"other"'));

  await type(/^Issuer/, '');
  await press('Save');
  await waitFor(async () => expect(await gateway.store.settings.get('identityProvider')).toBeNull());
});

it('chooses another certificate authority', async () => {
  const { gateway } = await openConsole({ path: '/settings/certificates', environment: {} });
  await type(/^Directory of the authority/, 'https://acme.example.test/other');
  await type(/^E-mail/, 'me@example.test');
  await press('Save');
  expect(await screen.findByText('Certificate authority saved')).toBeDefined();
  expect(JSON.parse((await gateway.store.settings.get('certificateAuthority')) ?? '')).toEqual({
    authority: 'https://acme.example.test/other',
    email: 'me@example.test',
  });
});

it('is locked where the environment says a part of it', async () => {
  await openConsole({
    path: '/settings/sign-in',
    environment: { SALLYPORT_OIDC_ISSUER: 'https://id.example.test' },
  });
  const provider = await card('Identity Provider');
  expect(await provider.findByText('Set by the environment')).toBeDefined();
  expect(provider.queryByRole('button', { name: 'Save' })).toBeNull();
  expect(provider.getByText('How to change')).toBeDefined();
});
