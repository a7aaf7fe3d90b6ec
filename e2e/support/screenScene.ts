import { createClient, type Client } from '@sallyport/sdk';
import { curl } from './curl.ts';
import { freeRange } from '../../packages/gateway/src/testing/freePorts.ts';
import { startGateway, type GatewayProcess } from './gatewayProcess.ts';
import { startWebServer } from './webServer.ts';

const DOMAIN = 'app.example.test';

/** A gateway with something to show on every screen. */
export type ScreenScene = {
  readonly gateway: GatewayProcess;
  /** A remote node with services, tokens and an address. */
  readonly nodeId: number;
  /** A service whose log has lines. */
  readonly serviceId: number;
  readonly domain: string;
  close(): Promise<void>;
};

/** Starts a gateway that has nodes, domains, services, access tokens and lines in a log. */
export async function startScreenScene(): Promise<ScreenScene> {
  const { from, to } = await freeRange(3);
  const gateway = await startGateway({ env: { SALLYPORT_TCP_PORTS: `${from}-${to}` } });
  const web = await startWebServer((request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : request.url === '/broken' ? 500 : 200;
    response.end('hello');
  });
  const { username, password } = gateway;
  const { token } = await createClient({ baseUrl: gateway.apiUrl }).session.login({ body: { username, password } });
  const client = createClient({ baseUrl: gateway.apiUrl, token });
  const ids = await fill(client, web.port);
  const address = `https://${DOMAIN}:${gateway.ports.https}`;
  for (const path of ['/', '/reports?month=11', '/missing', '/broken', '/assets/app.css', '/health']) {
    await curl(`${address}${path}`);
  }
  return {
    gateway,
    ...ids,
    domain: DOMAIN,
    async close() {
      await web.close();
      await gateway.close();
    },
  };
}

async function fill(client: Client, backendPort: number): Promise<{ nodeId: number; serviceId: number }> {
  const { id: nodeId } = await client.node.create({ body: { name: 'web-1' } });
  await client.node.create({
    body: {
      name: 'office-gateway',
      isGateway: true,
      gatewayNetworks: [{ interface: 'eth0', subnet: '198.51.100.0/24' }],
    },
  });
  const resting = await client.node.create({ body: { name: 'backup-pi' } });
  await client.node.disable({ params: { id: resting.id } });
  const hour = 3_600_000;
  const params = { id: nodeId };
  await client.token.create({ params, body: { name: 'deploy' } });
  await client.token.create({
    params,
    body: { name: 'laptop', expireAt: new Date(Date.now() + 72 * hour).toISOString() },
  });
  const old = await client.token.create({ params, body: { name: 'old laptop' } });
  await client.token.revoke({ params: { id: nodeId, tokenId: old.id } });

  const local = { params: { nodeId: 1 } };
  const at = { backendHost: '127.0.0.1', backendPort };
  const { id: serviceId } = await client.httpService.create({
    ...local,
    body: { name: 'Shop', domain: DOMAIN, ...at },
  });
  await client.httpService.create({
    ...local,
    body: { name: 'Wiki', domain: 'wiki.example.test', ...at, allowedIps: ['198.51.100.0/24'], ttl: '2h' },
  });
  const shut = await client.httpService.create({
    ...local,
    body: { name: 'Staging', pathLocation: '/staging', ...at },
  });
  await client.httpService.disable({ params: { nodeId: 1, id: shut.id } });
  await client.tcpService.create({ ...local, body: { name: 'Broker', ...at } });
  await client.httpService.create({
    params: { nodeId },
    body: { name: 'Cameras', domain: DOMAIN, pathLocation: '/cameras', backendPort: 8080 },
  });
  return { nodeId, serviceId };
}
