import type { Client } from '@sallyport/sdk';
import { type GatewayOptions, type GatewayProcess, signedIn, startGateway } from './gateway.ts';
import { startWebServer, type WebServer } from './webServer.ts';
import { visit, type Visited } from './visit.ts';

/** A gateway with its nginx, two web servers to expose, and an administrator who is signed in. */
export type Scene = {
  gateway: GatewayProcess;
  /** They answer with their name, `a` or `b`, and the path. */
  backends: { a: WebServer; b: WebServer };
  client: Client;
  token: string;
  /** Exposes a backend under a domain of its own. */
  expose(name: string, backendPort?: number): ReturnType<Client['httpService']['create']>;
  /** Visits a page of such a domain through nginx, on a new connection. */
  visit(name: string, path?: string): Promise<Visited>;
  close(): Promise<void>;
};

/** The domain that is given to a service by its name. */
export const domainOf = (name: string): string => `${name}.example.test`;

export async function openScene(options: GatewayOptions = {}): Promise<Scene> {
  const gateway = await startGateway(options);
  const [a, b] = await Promise.all([
    startWebServer((request, response) => response.end(`a ${request.url}`)),
    startWebServer((request, response) => response.end(`b ${request.url}`)),
  ]);
  const { client, token } = await signedIn(gateway);
  return {
    gateway,
    backends: { a, b },
    client,
    token,
    expose: (name, backendPort = a.port) =>
      client.httpService.create({
        params: { nodeId: 1 },
        body: { name, domain: domainOf(name), backendHost: '127.0.0.1', backendPort },
      }),
    visit: (name, path = '/') => visit(gateway.ports.https, `https://${domainOf(name)}${path}`),
    async close() {
      await Promise.all([a.close(), b.close()]);
      await gateway.close();
    },
  };
}
