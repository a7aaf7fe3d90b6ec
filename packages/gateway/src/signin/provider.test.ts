import { expect, it } from 'vitest';
import { signInAvailability, signInProblem } from './provider.ts';

const secret = {};
const whole = { issuer: 'https://id.example.com/realms/home', clientId: 'sallyport', clientSecret: secret };

it.each(['https://id.example.com', 'http://localhost:8080/realms/home', 'http://127.0.0.1:9000', 'http://[::1]:9000'])(
  'is there with a provider at %s',
  (issuer) => {
    const state = signInAvailability({ ...whole, issuer });
    expect(state).toEqual({ available: true });
    expect(signInProblem(state)).toBeNull();
  },
);

it.each([
  [
    { issuer: null, clientId: null, clientSecret: null },
    'SALLYPORT_OIDC_ISSUER, SALLYPORT_OIDC_CLIENT_ID and SALLYPORT_OIDC_CLIENT_SECRET',
  ],
  [{ ...whole, clientId: null, clientSecret: null }, 'SALLYPORT_OIDC_CLIENT_ID and SALLYPORT_OIDC_CLIENT_SECRET'],
  [{ ...whole, clientSecret: null }, 'SALLYPORT_OIDC_CLIENT_SECRET'],
])('names the settings that are missing, and tells that no one wants it where all are', (settings, names) => {
  const how = settings.issuer === null ? 'Enter one under Settings in the console, or set' : 'Set';
  const reason = `No identity provider is set up. ${how} ${names}, then start the gateway again.`;
  const state = signInAvailability(settings);
  expect(state).toEqual({ available: false, reason, ...(settings.issuer === null && { chosen: true }) });
  expect(signInProblem(state)).toBe(reason);
});

it.each([
  'http://id.example.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'ftp://id.example.com',
])('takes no secret over plain text to %s', (issuer) => {
  expect(signInProblem(signInAvailability({ ...whole, issuer }))).toContain('must be an https address');
});
