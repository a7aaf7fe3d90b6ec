import { connect } from 'node:net';
import type { Client } from '@sallyport/sdk';
import { isApiError } from '@sallyport/sdk';
import type { HttpService, OwnNode, TcpService } from '@sallyport/sdk/contract';
import { failed, ok, reasonOf, type Result, type Step, warning } from './examineGateway.ts';
import type { Host } from './host.ts';
import type { HostConfig } from './hostConfig.ts';
import { exposingCommand } from './loopback.ts';
import { linkOf } from './status.ts';

const CONNECT_MS = 2000;
const OWN_ADDRESS = '127.0.0.1';

/** What a host can say about itself: its token, its tunnel, and what stands behind its own services. */
export function hostSteps(
  host: Host,
  config: HostConfig,
  gateway: { step: string; client: Client },
  now: () => Date,
): Step[] {
  let node: OwnNode | null = null;
  return [
    {
      name: 'host token',
      needs: gateway.step,
      async work() {
        const refused = 'sudo sallyport login --url ' + config.url;
        try {
          node = await gateway.client.cli.node({ query: { fresh: 'true' } });
        } catch (error) {
          return failed(isApiError(error, 'unauthorized') ? 'the gateway refuses it' : reasonOf(error), refused);
        }
        if (node.enabled) return ok(`accepted; this host is the node ${node.name}`);
        return failed(`the node ${node.name} is disabled`, `an administrator: sallyport node enable ${node.id}`);
      },
    },
    { name: 'host tunnel', needs: null, work: () => tunnel(host, config, now()) },
    { name: 'host backend', needs: 'host token', work: async () => (node === null ? [] : backends(node)) },
  ];
}

async function tunnel(host: Host, config: HostConfig, now: Date): Promise<Result> {
  const connectCommand = 'sudo sallyport connect';
  if (!host.machine.isRoot) return warning('only root may see it', 'sudo sallyport doctor');
  const { link, tunnel: state } = await linkOf(host, config, now);
  if (link === 'down') {
    const why = config.connected ? 'though it should be up' : 'as it was disconnected';
    return failed(`the interface ${config.interface} is not there, ${why}`, connectCommand);
  }
  const at = state.latestHandshakeTimestamp;
  const age = at === null ? null : Math.max(0, Math.round((now.getTime() - at) / 1000));
  if (link === 'up') return ok(`${config.interface} is up, the last handshake was ${age} s ago`);
  const said = age === null ? 'the gateway has never answered' : `the gateway has not answered for ${age} s`;
  const way = state.endpoint === null ? 'its UDP port' : `UDP to ${state.endpoint}`;
  return failed(`${config.interface} is up, but ${said}`, `let ${way} through the firewall, then ${connectCommand}`);
}

type OwnService = HttpService | TcpService;

async function backends({ httpServices, tcpServices }: OwnNode): Promise<Result[]> {
  const open = [...httpServices, ...tcpServices].filter(({ enabled }) => enabled);
  if (open.length === 0) return [ok('this host exposes nothing')];
  return Promise.all(open.map(backend));
}

/** The gateway tells whether it reaches the backend; when not, this host looks whether anything is there at all. */
async function backend(service: OwnService): Promise<Result> {
  const { name, backendHost, backendPort, health, healthReason, problem } = service;
  const place = `${backendHost ?? OWN_ADDRESS}:${backendPort}`;
  if (problem !== null) return failed(`${name} is not served: ${problem}`, 'sudo sallyport status');
  if (health !== 'down') return ok(`${name} has a backend`);
  const proto = 'proto' in service ? service.proto : 'tcp';
  const published = { type: 'proto' in service ? 'tcp' : 'http', name, proto, port: backendPort } as const;
  const exposing = exposingCommand(published);
  const isUdp = 'proto' in service && service.proto === 'udp';
  if (isUdp || !(await answers(backendHost ?? OWN_ADDRESS, backendPort))) {
    const command = exposingCommand({ ...published, port: 'PORT' });
    return failed(`${name}: nothing answers at ${place}`, `start what listens there, or: ${command}`);
  }
  return failed(
    `${name}: ${place} answers here, but not to the gateway (${healthReason ?? 'no answer'})`,
    `have it listen on every address, or on 127.0.0.1 and run: sudo ${exposing}; let ${backendPort} through this host's firewall`,
  );
}

const answers = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
