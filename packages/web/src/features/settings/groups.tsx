import type { SettingName } from '@sallyport/sdk/contract';
import type { ReactNode } from 'react';
import { AboutCard } from './AboutCard.tsx';
import { ApiTokensCard } from './ApiTokensCard.tsx';
import { AppearanceCard } from './AppearanceCard.tsx';
import { BackupCard } from './BackupCard.tsx';
import { FeaturesCard } from './FeaturesCard.tsx';
import { type GroupName, groupNames } from './groupNames.ts';
import { PasswordCard } from './PasswordCard.tsx';
import { PublicAddressCard } from './PublicAddressCard.tsx';
import { ServiceTest, SettingsCard } from './SettingRows.tsx';
import { AuthorityForm, ProviderForm } from './ServiceForms.tsx';
import { SessionsCard } from './SessionsCard.tsx';

/** Settings that belong together. */
export type SettingsGroup = GroupName & { cards: () => ReactNode };

const NETWORK: readonly SettingName[] = [
  'SALLYPORT_HTTPS_PORT',
  'SALLYPORT_HTTP_PORT',
  'SALLYPORT_PUBLIC_HTTPS_PORT',
  'SALLYPORT_CONSOLE_PORT',
  'SALLYPORT_LISTEN',
  'SALLYPORT_TCP_PORTS',
  'SALLYPORT_HOST_NAMES',
  'SALLYPORT_TRUSTED_PROXIES',
  'SALLYPORT_DNS_SERVERS',
];
const TUNNEL: readonly SettingName[] = [
  'SALLYPORT_TUNNEL',
  'SALLYPORT_VPN_PORT',
  'SALLYPORT_VPN_SUBNET',
  'SALLYPORT_VPN_INTERFACE',
  'SALLYPORT_WIREDOOR_CLIENTS',
];

const PROVIDER = `SALLYPORT_OIDC_ISSUER=https://id.example.com/realms/home
SALLYPORT_OIDC_CLIENT_ID=sallyport
SALLYPORT_OIDC_CLIENT_SECRET=…`;

/** The groups of settings, in their order. The first one is shown where none is chosen. */
export const groups: readonly [SettingsGroup, ...SettingsGroup[]] = [
  {
    ...groupNames.gateway,
    cards: () => (
      <>
        <PublicAddressCard />
        <SettingsCard title="Ports and Names" names={NETWORK} />
        <SettingsCard title="Tunnel" names={TUNNEL} />
        <BackupCard />
      </>
    ),
  },
  {
    ...groupNames.features,
    cards: () => <FeaturesCard />,
  },
  {
    ...groupNames.certificates,
    cards: () => (
      <SettingsCard
        title="Certificate Authority"
        description="Issues the certificates of domains: Let's Encrypt, unless another one is set."
        names={['SALLYPORT_ACME_URL', 'SALLYPORT_ACME_EMAIL']}
        form={<AuthorityForm />}
        example={'SALLYPORT_ACME_URL=https://acme.example.com/directory\nSALLYPORT_ACME_EMAIL=you@example.com'}
      >
        <ServiceTest service="certificateAuthority" />
      </SettingsCard>
    ),
  },
  {
    ...groupNames['sign-in'],
    cards: () => (
      <SettingsCard
        title="Identity Provider"
        description={
          <>
            Where visitors of protected services sign in: any that speaks OpenID Connect. Register the gateway there
            with the redirect address <code className="wrap-anywhere">https://DOMAIN/.sallyport/callback</code> of each
            domain.
          </>
        }
        names={['SALLYPORT_OIDC_ISSUER', 'SALLYPORT_OIDC_CLIENT_ID', 'SALLYPORT_OIDC_CLIENT_SECRET']}
        form={<ProviderForm />}
        example={PROVIDER}
      >
        <ServiceTest service="identityProvider" />
      </SettingsCard>
    ),
  },
  {
    ...groupNames.limits,
    cards: () => (
      <>
        <SettingsCard
          title="Limits of Nodes"
          description="How much the access tokens of one node may make it have. Administrators are not limited."
          names={['SALLYPORT_NODE_SERVICES', 'SALLYPORT_NODE_PORTS', 'SALLYPORT_NODE_LIST_ENTRIES']}
          example="SALLYPORT_NODE_SERVICES=500"
        />
        <SettingsCard
          title="Logs and Data"
          names={['SALLYPORT_LOG_HISTORY_MB', 'SALLYPORT_LOG_LEVEL', 'SALLYPORT_DATA']}
          example="SALLYPORT_LOG_HISTORY_MB=50"
        />
      </>
    ),
  },
  {
    ...groupNames.sessions,
    cards: () => (
      <>
        <ApiTokensCard />
        <SessionsCard />
        <PasswordCard />
      </>
    ),
  },
  {
    ...groupNames.appearance,
    cards: () => <AppearanceCard />,
  },
  {
    ...groupNames.about,
    cards: () => <AboutCard />,
  },
];
