import { openApiDocument } from '@sallyport/sdk/openapi';
import type { HandlersOf } from './handler.ts';

export const systemHandlers: HandlersOf<'system'> = {
  async 'system.config'(_input, { settings, world }) {
    return {
      VPN_HOST: settings.vpnHost,
      TCP_SERVICES_PORT_RANGE: `${settings.tcpPorts.from}-${settings.tcpPorts.to}`,
      off: world.off(),
    };
  },

  async 'system.openapi'(_input, { version }) {
    return openApiDocument({ version });
  },

  async 'system.health'(_input, { world, reply }) {
    const { up, generation } = world.ingress();
    if (!up) reply.status = 503;
    return { status: up ? 'ok' : 'degraded', ingress: up ? 'up' : 'down', generation };
  },
};
