import type { Client, HttpServiceInput } from '@sallyport/sdk';
import { type GatewayProcess, signedIn, startGateway } from './gateway.ts';
import { curl } from './visit.ts';
import { startWebServer } from './webServer.ts';

/** A domain of the scene with a service. */
export const DOMAIN = 'app.example.test';

/** A gateway with something to show on every screen. */
export type ScreenScene = {
  readonly gateway: GatewayProcess;
  /** A remote node with services, tokens and an address. */
  readonly nodeId: number;
  /** A service whose log has lines. */
  readonly serviceId: number;
  close(): Promise<void>;
};

/** Starts a gateway that has nodes, domains, services, access tokens and lines in a log. */
export async function startScreenScene(): Promise<ScreenScene> {
  const gateway = await startGateway();
  const web = await startWebServer((request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : request.url === '/broken' ? 500 : 200;
    response.end('hello');
  });
  const { client } = await signedIn(gateway);
  const ids = await fill(client, web.port);
  const address = `https://${DOMAIN}:${gateway.ports.https}`;
  for (const path of ['/', '/reports?month=11', '/missing', '/broken', '/assets/app.css', '/health']) {
    await curl(`${address}${path}`);
  }
  return {
    gateway,
    ...ids,
    async close() {
      await web.close();
      await gateway.close();
    },
  };
}

async function fill(client: Client, backendPort: number): Promise<{ nodeId: number; serviceId: number }> {
  const tags = ['home', 'عام', '👩‍🚀 lab', `a-tag-of-forty-characters-${'x'.repeat(14)}`, 'media'];
  const notes = 'Stands behind the garage.\nAsk Ada before a restart.';
  const { id: nodeId } = await client.node.create({ body: { name: 'web-1', tags, notes } });
  const gatewayNetworks = [{ interface: 'eth0', subnet: '198.51.100.0/24' }];
  await client.node.create({ body: { name: 'office-gateway', isGateway: true, gatewayNetworks } });
  const resting = await client.node.create({ body: { name: 'backup-pi' } });
  await client.node.disable({ params: { id: resting.id } });
  const inThreeDays = new Date(Date.now() + 72 * 3_600_000).toISOString();
  const token = (name: string, expireAt?: string) =>
    client.token.create({ params: { id: nodeId }, body: { name, ...(expireAt && { expireAt }) } });
  await token('deploy');
  await token('laptop', inThreeDays);
  const old = await token('old laptop');
  await client.token.revoke({ params: { id: nodeId, tokenId: old.id } });

  await client.apiToken.create({ body: { name: 'ci', scope: ['services:write', 'logs:read'], nodes: [nodeId] } });
  await client.apiToken.create({ body: { name: 'monitor', scope: ['nodes:read'], expireAt: inThreeDays } });

  await client.joinKey.create({
    body: { name: 'rack 2', reusable: true, namePattern: 'web-*', expireAt: inThreeDays },
  });
  await client.joinKey.create({ body: { name: 'branch office', isGateway: true } });
  await client.joinKey.create({ body: { name: 'backup-pi', nodeId: resting.id } });

  const params = { nodeId: 1 };
  const at = { backendHost: '127.0.0.1', backendPort };
  const expose = (body: Partial<HttpServiceInput> & { name: string }) =>
    client.httpService.create({ params, body: { ...at, ...body } });
  const { id: serviceId } = await expose({ name: 'Shop', domain: DOMAIN, tags, notes });
  const [domain] = (await client.domain.list({ query: { search: DOMAIN } })).data;
  await client.domain.update({ params: { id: domain?.id ?? 0 }, body: { tags, notes } });
  await expose({ name: 'Wiki', domain: 'wiki.example.test', allowedIps: ['198.51.100.0/24'], ttl: '2h' });
  await expose({ name: 'Old shop', domain: 'elsewhere.example.test' });
  const shut = await expose({ name: 'Staging', pathLocation: '/staging' });
  await client.httpService.disable({ params: { nodeId: 1, id: shut.id } });
  await client.tcpService.create({ params, body: { name: 'Broker', ...at } });
  const cameras = { name: 'Cameras', domain: DOMAIN, pathLocation: '/cameras', backendPort: 8080 };
  await client.httpService.create({ params: { nodeId }, body: cameras });
  return { nodeId, serviceId };
}
