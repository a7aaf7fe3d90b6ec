import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { described, optionalFact } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { type Feature, feature } from './system.ts';

/** The settings that are shown, by the environment variables that say them. What is not listed here is never answered. */
export const settingName = z.enum([
  'SALLYPORT_VPN_HOST',
  'SALLYPORT_HOST_NAMES',
  'SALLYPORT_HTTP_PORT',
  'SALLYPORT_HTTPS_PORT',
  'SALLYPORT_PUBLIC_HTTPS_PORT',
  'SALLYPORT_CONSOLE_PORT',
  'SALLYPORT_LISTEN',
  'SALLYPORT_TCP_PORTS',
  'SALLYPORT_TRUSTED_PROXIES',
  'SALLYPORT_DNS_SERVERS',
  'SALLYPORT_DATA',
  'SALLYPORT_LOG_LEVEL',
  'SALLYPORT_TUNNEL',
  'SALLYPORT_VPN_PORT',
  'SALLYPORT_VPN_SUBNET',
  'SALLYPORT_VPN_INTERFACE',
  'SALLYPORT_WIREDOOR_CLIENTS',
  'SALLYPORT_ACME_URL',
  'SALLYPORT_ACME_EMAIL',
  'SALLYPORT_OIDC_ISSUER',
  'SALLYPORT_OIDC_CLIENT_ID',
  'SALLYPORT_OIDC_CLIENT_SECRET',
  'SALLYPORT_NODE_SERVICES',
  'SALLYPORT_NODE_PORTS',
  'SALLYPORT_NODE_LIST_ENTRIES',
  'SALLYPORT_LOG_HISTORY_MB',
  'SALLYPORT_ADMIN_USER',
]);
export type SettingName = z.output<typeof settingName>;

/** One setting of the gateway as it counts now. */
export const setting = z.object({
  name: described(settingName, 'The environment variable that says it.'),
  value: described(
    optionalFact(z.string()),
    'As the variable would say it; null: none. Of a secret only that there is one: `set`.',
  ),
  source: described(
    z.enum(['environment', 'stored', 'default']),
    '`environment`: a variable says it, and only there it can be changed; `stored`: it was chosen at the first start or later; `default`: nobody chose it.',
  ),
  changeable: described(z.boolean(), 'Whether it can be changed while the gateway runs.'),
});
export type Setting = z.output<typeof setting>;

/** What people are told that it is. */
export const featureLabels: Record<Feature, string> = {
  ingress: 'ingress',
  tcpServices: 'TCP and UDP services',
  tunnel: 'tunnel',
  internetThroughVpn: 'internet through the VPN',
  publicName: 'public name',
  letsEncrypt: "Let's Encrypt",
  visitorSignIn: 'sign-in for visitors',
  endingConnections: 'ending connections',
  olderLogLines: 'older log lines',
};

/** Whether a feature runs; otherwise why not, and how to turn it on. */
export const featureState = z.object({
  feature: described(feature, 'Which one.'),
  state: described(
    z.enum(['on', 'off', 'unavailable']),
    '`off`: by choice, because it was turned off or is optional and not set up; `unavailable`: it should run, and does not.',
  ),
  reason: described(optionalFact(z.string()), 'Why it does not run, in a sentence; null: it runs.'),
  fix: described(optionalFact(z.string()), 'The command or the setting that turns it on; null: it runs.'),
});
export type FeatureState = z.output<typeof featureState>;

/** The gateway's settings and features. */
export const gatewaySettings = z.object({
  version: described(z.string(), 'The version of the gateway.'),
  settings: described(z.array(setting), 'The settings, without secrets.'),
  features: described(z.array(featureState), 'Every feature that can be missing.'),
});
export type GatewaySettings = z.output<typeof gatewaySettings>;

const OWN_MACHINE = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether secrets may be sent to an address: no one reads them on their way to it. */
export function isSecureUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && OWN_MACHINE.has(hostname));
}

const URL_MAX_CHARS = 1000;
/** The address of a server that is sent secrets: https, or plain HTTP on the gateway's own machine, without a password in it. */
const secureUrl = field.requiredText(URL_MAX_CHARS).check(
  z.refine((value) => value === '' || (isSecureUrl(value) && !/[\s@#?]/.test(value)), { error: message.httpsAddress }),
  z.meta({ description: 'An https address.' }),
);

/**
 * A change of the identity provider: what is left out stays. The secret goes to no other provider: with another issuer or
 * client ID it has to be given again.
 */
export const identityProviderInput = field
  .object({
    issuer: described(field.blankAsNull(secureUrl), 'What the provider calls itself; null: visitors sign in nowhere.'),
    clientId: described(field.blankAsNull(field.requiredText()), "The gateway's account there."),
    clientSecret: described(
      field.blankAsNull(field.secretText),
      'The secret of that account; null or left out: the one that is stored.',
    ),
  })
  .check(
    z.refine(({ issuer, clientId }) => (issuer ?? null) === null || clientId !== null, {
      path: ['clientId'],
      error: message.required,
    }),
  );
export type IdentityProviderInput = z.input<typeof identityProviderInput>;

/** A change of the certificate authority: what is left out stays. */
export const certificateAuthorityInput = field.object({
  url: described(field.blankAsNull(secureUrl), "Its ACME directory; null: that of Let's Encrypt."),
  email: described(
    field.blankAsNull(field.email),
    'Where it writes to, for example before a certificate ends; null: nowhere.',
  ),
});
export type CertificateAuthorityInput = z.input<typeof certificateAuthorityInput>;

/** The settings that the console changes while the gateway runs, by the service of others that they are about. */
export const liveSettings = {
  identityProvider: ['SALLYPORT_OIDC_ISSUER', 'SALLYPORT_OIDC_CLIENT_ID', 'SALLYPORT_OIDC_CLIENT_SECRET'],
  certificateAuthority: ['SALLYPORT_ACME_URL', 'SALLYPORT_ACME_EMAIL'],
} as const satisfies Record<string, readonly SettingName[]>;

/** The services of others that the gateway depends on, and can try. */
export const testedServices = ['identityProvider', 'certificateAuthority'] as const;
export type TestedService = (typeof testedServices)[number];

/** Which one is to be tried. */
export const settingTestInput = field.object({
  service: described(field.oneOf(testedServices), 'Which one: its configured address is asked, and no other.'),
});
export type SettingTestInput = z.input<typeof settingTestInput>;

/** What came of it. */
export const settingTest = z.object({
  works: described(z.boolean(), 'Whether it answered as it should.'),
  text: described(z.string(), 'What it answered, or what is wrong and what to do, in sentences.'),
});
export type SettingTest = z.output<typeof settingTest>;

/** The calls about the settings. */
export const settingsEndpoints = {
  get: call('GET', '/api/settings', 'Reads the settings, where each comes from, and which features run.', {
    reply: gatewaySettings,
  }),
  test: call(
    'POST',
    '/api/settings/test',
    'Asks the configured identity provider or certificate authority for what it says of itself, and says what is wrong.',
    { body: settingTestInput, reply: settingTest, repeatable: false },
  ),
  changeProvider: call(
    'PATCH',
    '/api/settings/identity-provider',
    'Sets up the identity provider of the visitors at once. Visitors of another one have to sign in again. Refused where the environment says a part of it.',
    { body: identityProviderInput, reply: gatewaySettings, repeatable: false },
  ),
  changeAuthority: call(
    'PATCH',
    '/api/settings/certificate-authority',
    'Sets the certificate authority at once: domains get certificates of another one soon. Refused where the environment says a part of it.',
    { body: certificateAuthorityInput, reply: gatewaySettings },
  ),
} as const;
