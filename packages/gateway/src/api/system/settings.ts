import { feature, type GatewaySettings, liveSettings, message, type TestedService } from '@sallyport/sdk/contract';
import { Secret } from '../../vault/secret.ts';
import type { Context, HandlersOf } from '../context.ts';
import { failure } from '../failure.ts';

export const settingsHandlers: HandlersOf<'settings'> = {
  'settings.get': async (_input, context) => showSettings(context),

  'settings.test': ({ body: { service } }, { world }) => world.test(service),

  async 'settings.changeProvider'({ body }, context) {
    const { world, write } = context;
    refuseFixed(world, 'identityProvider');
    const known = world.liveSettings.provider();
    const { issuer = known.issuer, clientId = known.clientId, clientSecret = null } = body;
    // Else anyone in the console could have the secret sent to an address of theirs.
    const kept = issuer === known.issuer && clientId === known.clientId ? known.clientSecret : null;
    const secret = clientSecret === null ? kept : new Secret(clientSecret);
    const missing = issuer === null ? [] : [clientId === null && 'clientId', secret === null && 'clientSecret'];
    const fields = missing.filter((name) => name !== false);
    if (fields.length > 0) throw failure.invalid(fields.map((field) => ({ field, message: message.required })));
    await write((tx) => world.liveSettings.keepProvider(tx, { issuer, clientId, clientSecret: secret }));
    await world.liveSettings.apply();
    return showSettings(context);
  },

  async 'settings.changeAuthority'({ body }, context) {
    const { world, write } = context;
    refuseFixed(world, 'certificateAuthority');
    const known = world.liveSettings.authority();
    const { url = known.authority, email = known.email } = body;
    await write((tx) => world.liveSettings.keepAuthority(tx, { authority: url, email }));
    await world.liveSettings.apply();
    return showSettings(context);
  },
};

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
      const off = missing.get(name);
      if (off === undefined) return { feature: name, state: 'on', reason: null, fix: null };
      return { feature: name, state: off.chosen === true ? 'off' : 'unavailable', reason: off.reason, fix: off.fix };
    }),
  };
}

function refuseFixed({ liveSettings: live }: Context['world'], service: TestedService): void {
  if (!live.isFixed(service)) return;
  const names = liveSettings[service].join(', ');
  throw failure.rejected(
    `The settings of the gateway say a part of it (${names}). Change it there, or remove all of these there to enter it here, and start the gateway again.`,
  );
}
