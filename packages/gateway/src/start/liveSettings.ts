import { liveSettings, type TestedService } from '@sallyport/sdk/contract';
import type { AuthoritySettings } from '../certificates/certificateIssuer.ts';
import { type Config, isGiven } from '../config.ts';
import type { Provider, ProviderSettings } from '../signin/provider.ts';
import type { Store } from '../store/store.ts';
import type { KeyVault } from '../vault/keyVault.ts';
import { Secret } from '../vault/secret.ts';
import type { World } from '../world.ts';

/**
 * The services of others that the gateway depends on, as they count now: what the environment says, and otherwise what an
 * administrator entered in the console, which counts at once.
 */
export type LiveSettings = Omit<World['liveSettings'], 'apply' | 'provider'> & {
  provider(): ProviderSettings<Secret>;
  /** Where visitors sign in; null: nowhere. */
  openId(): Provider | null;
  /** Reads again what is stored. */
  load(): Promise<void>;
};

export type LiveSettingsParts = {
  store: Pick<Store, 'settings'>;
  vault: Pick<KeyVault, 'seal' | 'open'>;
  config: Pick<Config, 'oidc' | 'acme' | 'given'>;
  /** Makes the provider of settings; null: they are none of a provider. */
  open(settings: ProviderSettings<Secret>): Promise<Provider | null>;
};

const NO_PROVIDER: ProviderSettings<Secret> = { issuer: null, clientId: null, clientSecret: null };

export async function openLiveSettings({ store, vault, config, open }: LiveSettingsParts): Promise<LiveSettings> {
  const isFixed = (service: TestedService): boolean => liveSettings[service].some((name) => isGiven(config, name));
  let provider = config.oidc;
  let authority = config.acme;
  let openId: { of: string; provider: Provider | null } | null = null;

  const live: LiveSettings = {
    isFixed,
    provider: () => provider,
    authority: () => authority,
    openId: () => openId?.provider ?? null,
    async keepProvider({ settings }, { issuer, clientId, clientSecret }) {
      const secret = clientSecret === null ? provider.clientSecret : new Secret(clientSecret);
      if (issuer === null || secret === null) await settings.remove('identityProvider');
      else {
        const sealed = vault.seal(secret);
        await settings.set('identityProvider', JSON.stringify({ issuer, clientId, clientSecret: sealed }));
      }
    },
    async keepAuthority({ settings }, wanted) {
      await settings.set('certificateAuthority', JSON.stringify(wanted));
    },
    async load() {
      if (!isFixed('identityProvider')) {
        provider = providerIn(await store.settings.get('identityProvider'), vault);
      }
      if (!isFixed('certificateAuthority')) {
        authority = authorityIn(await store.settings.get('certificateAuthority'));
      }
      const { issuer, clientId, clientSecret } = provider;
      const of = JSON.stringify([issuer, clientId, clientSecret?.reveal()]);
      // One that stays knows what it was told, and has visitors on their way.
      if (openId?.of !== of) openId = { of, provider: await open(provider) };
    },
  };
  await live.load();
  return live;
}

/** What cannot be read, or be opened with the key file any more, is none. */
function providerIn(text: string | null, vault: Pick<KeyVault, 'open'>): ProviderSettings<Secret> {
  const { issuer, clientId, clientSecret } = objectIn(text);
  if (typeof issuer !== 'string' || typeof clientId !== 'string' || typeof clientSecret !== 'string')
    return NO_PROVIDER;
  try {
    return { issuer, clientId, clientSecret: vault.open(clientSecret) };
  } catch {
    return NO_PROVIDER;
  }
}

function authorityIn(text: string | null): AuthoritySettings {
  const { authority, email } = objectIn(text);
  return {
    authority: typeof authority === 'string' ? authority : null,
    email: typeof email === 'string' ? email : null,
  };
}

function objectIn(text: string | null): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text ?? '{}');
    return typeof found === 'object' && found !== null ? { ...found } : {};
  } catch {
    return {};
  }
}
