import {
  feature,
  type GatewaySettings,
  liveSettings,
  message,
  type TestedService,
  type UnavailableFeature,
} from '@sallyport/sdk/contract';
import type { Context, HandlersOf } from '../context.ts';
import { failure } from '../failure.ts';
import { inTurn } from '../writer.ts';

const NEEDS_TUNNEL: Omit<UnavailableFeature, 'feature'> = {
  reason: 'It needs the tunnel, which does not run.',
  fix: 'Turn on the tunnel.',
};

export const settingsHandlers: HandlersOf<'settings'> = {
  'settings.get': async (_input, context) => showSettings(context),

  'settings.test': ({ body: { service } }, { world }) => world.test(service),

  'settings.changeProvider': ({ body }, context) =>
    changed(context, 'identityProvider', async (tx, live) => {
      const known = live.provider();
      const { issuer = known.issuer, clientId = known.clientId, clientSecret = null } = body;
      // Else anyone in the console could have the secret sent to an address of theirs.
      const isSame = issuer === known.issuer && clientId === known.clientId && known.clientSecret !== null;
      const isSecretMissing = clientSecret === null && !isSame;
      const missing = issuer === null ? [] : [clientId === null && 'clientId', isSecretMissing && 'clientSecret'];
      const fields = missing.filter((name) => name !== false);
      if (fields.length > 0) throw failure.invalid(fields.map((field) => ({ field, message: message.required })));
      await live.keepProvider(tx, { issuer, clientId, clientSecret });
    }),

  'settings.changeAuthority': ({ body }, context) =>
    changed(context, 'certificateAuthority', async (tx, live) => {
      const known = live.authority();
      const { url = known.authority, email = known.email } = body;
      await live.keepAuthority(tx, { authority: url, email });
    }),
};

type Live = Context['world']['liveSettings'];

/** Stores other settings of a service of others, and has them count. */
async function changed(
  context: Context,
  service: TestedService,
  keep: (tx: Parameters<Live['keepProvider']>[0], live: Live) => Promise<void>,
): Promise<GatewaySettings> {
  const { world, write } = context;
  const live = world.liveSettings;
  if (live.isFixed(service)) {
    const names = liveSettings[service].join(', ');
    throw failure.rejected(
      `The settings of the gateway say a part of it (${names}). Change it there, or remove all of these there to enter it here, and start the gateway again.`,
    );
  }
  // One that is stored and does not count yet is not known to the next.
  return inTurn(live, 'change', async () => {
    await write((tx) => keep(tx, live));
    await live.apply();
    return showSettings(context);
  });
}

/** The settings as they count now, and which features run. */
export function showSettings({
  settings,
  version,
  world,
}: Pick<Context, 'settings' | 'version' | 'world'>): GatewaySettings {
  const missing = new Map(world.unavailable().map((one) => [one.feature, one]));
  return {
    version,
    settings: [...settings.shown()],
    features: feature.options.map((name) => {
      // What goes through the tunnel is not there without it, whatever else it has.
      const isWithout = name === 'internetThroughVpn' && missing.has('tunnel');
      const off = missing.get(name) ?? (isWithout ? NEEDS_TUNNEL : undefined);
      if (off === undefined) return { feature: name, state: 'on', reason: null, fix: null };
      return { feature: name, state: off.chosen === true ? 'off' : 'unavailable', reason: off.reason, fix: off.fix };
    }),
  };
}
