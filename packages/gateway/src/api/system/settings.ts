import { feature } from '@sallyport/sdk/contract';
import type { HandlersOf } from '../context.ts';

export const settingsHandlers: HandlersOf<'settings'> = {
  async 'settings.get'(_input, { settings, version, world }) {
    const missing = new Map(world.unavailable().map((one) => [one.feature, one]));
    return {
      version,
      settings: [...settings.shown],
      features: feature.options.map((name) => {
        const off = missing.get(name);
        if (off === undefined) return { feature: name, state: 'on', reason: null, fix: null };
        return { feature: name, state: off.chosen === true ? 'off' : 'unavailable', reason: off.reason, fix: off.fix };
      }),
    };
  },

  'settings.test': ({ body: { service } }, { world }) => world.test(service),
};
