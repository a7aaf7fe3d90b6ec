import { feature, type UnavailableFeature } from '@sallyport/sdk/contract';
import type { HandlersOf } from '../context.ts';

const NEEDS_TUNNEL: Omit<UnavailableFeature, 'feature'> = {
  reason: 'It needs the tunnel, which does not run.',
  fix: 'Turn on the tunnel.',
};

export const settingsHandlers: HandlersOf<'settings'> = {
  async 'settings.get'(_input, { settings, version, world }) {
    const missing = new Map(world.unavailable().map((one) => [one.feature, one]));
    return {
      version,
      settings: [...settings.shown],
      features: feature.options.map((name) => {
        // What goes through the tunnel is not there without it, whatever else it has.
        const isWithout = name === 'internetThroughVpn' && missing.has('tunnel');
        const off = missing.get(name) ?? (isWithout ? NEEDS_TUNNEL : undefined);
        if (off === undefined) return { feature: name, state: 'on', reason: null, fix: null };
        return { feature: name, state: off.chosen === true ? 'off' : 'unavailable', reason: off.reason, fix: off.fix };
      }),
    };
  },

  'settings.test': ({ body: { service } }, { world }) => world.test(service),
};
