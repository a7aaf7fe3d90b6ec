import { openApiDocument } from '@sallyport/sdk/openapi';
import { publicUrl } from '../service/publicAddress.ts';
import type { HandlersOf } from '../context.ts';

/** By the version. To make one takes 50 ms of the event loop, and anyone may ask for it. */
const documents = new Map<string, ReturnType<typeof openApiDocument>>();

export const systemHandlers: HandlersOf<'system'> = {
  async 'system.config'(_input, { settings, world, store }) {
    const [builtin] = await store.httpServices.all({ builtin: true });
    const isReached = settings.isHostKnown || typeof builtin?.domain === 'string';
    return {
      VPN_HOST: settings.vpnHost,
      CONSOLE_URL: builtin && isReached ? new URL(publicUrl(builtin, settings)).origin : null,
      PUBLIC_HTTPS_PORT: settings.httpsPort,
      TCP_SERVICES_PORT_RANGE: `${settings.tcpPorts.from}-${settings.tcpPorts.to}`,
      unavailable: world.unavailable(),
    };
  },

  async 'system.openapi'(_input, { version }) {
    const document = documents.get(version) ?? openApiDocument({ version });
    documents.set(version, document);
    return document;
  },

  'system.backup': async (_input, { world }) => ({ last: world.lastBackup() }),

  async 'system.health'(_input, { world, store, reply }) {
    const { up, generation } = world.ingress();
    const tunnel = world.tunnel();
    const database = store.problem() === null ? 'up' : 'down';
    const isWell = up && tunnel !== 'down' && database === 'up';
    if (!isWell) reply.status = 503;
    return { status: isWell ? 'ok' : 'degraded', ingress: up ? 'up' : 'down', tunnel, database, generation };
  },
};
