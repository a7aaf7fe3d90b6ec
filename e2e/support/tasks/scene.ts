import type { Client } from '@sallyport/sdk';
import { type GatewayProcess, signedIn, startGateway } from '../gateway.ts';
import { curl } from '../visit.ts';
import { startWebServer, type WebServer } from '../webServer.ts';
import { allMeans, type Means } from './hand.ts';

/** Each means has objects of its own, so that what one changes is as it was for the others. */
export const placeOf: Record<Means, string> = { mouse: 'ash', keyboard: 'elm', phone: 'oak' };

// Ten places with thirty applications each; those of the last four are on nodes of their own, behind the tunnel.
const LOCAL_PLACES = [...Object.values(placeOf), 'fir', 'yew', 'bay'];
const REMOTE_PLACES = ['attic', 'cellar', 'garage', 'office'];
const APPLICATIONS = `
  Blog Chat Mail Maps News Notes Photos Shop Tasks Wiki
  Archive Backup Books Build Calendar Charts Files Forum Git Grafana
  Heating Invoices Library Music Office Payroll Printer Radio Recipes Router`
  .trim()
  .split(/\s+/);
/** The tag that some services of a place have, and which. */
export const tagOf: Record<Means, string> = { mouse: 'lab', keyboard: 'beta', phone: 'kids' };
export const TAGGED = ['Blog', 'Books', 'Build', 'Forum', 'Radio'];
/** Nothing listens where these have their backend. */
export const BROKEN = ['Heating', 'Git'];
/** These have lines in their log, some of them of errors. */
export const VISITED = ['News', 'Shop'];

const SOME_AT_ONCE = 30;
const VISITS = 12;

/** A gateway with 300 services on five nodes. */
export type TaskScene = {
  gateway: GatewayProcess;
  client: Client;
  /** Where a web server listens that any service may have as its backend. */
  backendPort: number;
  close(): Promise<void>;
};

/** Starts one, and waits until its backends were asked. */
export async function startTaskScene(): Promise<TaskScene> {
  const web = await startWebServer((request, response) => {
    response.statusCode = request.url?.includes('broken') ? 500 : 200;
    response.end('hello');
  });
  const gateway = await startGateway({ host: 'gateway.example.test' });
  const close = async (): Promise<void> => {
    await web.close();
    await gateway.close();
  };
  try {
    const { client } = await signedIn(gateway);
    await fill(client, web);
    await visit(gateway);
    return { gateway, client, backendPort: web.port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fill(client: Client, { port }: WebServer): Promise<void> {
  const nodes = await Promise.all(REMOTE_PLACES.map((name) => client.node.create({ body: { name } })));
  const nodeOf = new Map(nodes.map(({ id, name }) => [name, id]));
  const services = [...LOCAL_PLACES, ...REMOTE_PLACES].flatMap((place) =>
    APPLICATIONS.map((application) => ({ place, application, nodeId: nodeOf.get(place) ?? 1 })),
  );
  // Those that are saved at once share a generation of nginx.
  for (let first = 0; first < services.length; first += SOME_AT_ONCE) {
    await Promise.all(
      services.slice(first, first + SOME_AT_ONCE).map(({ place, application, nodeId }) =>
        client.httpService.create({
          params: { nodeId },
          body: {
            name: `${application} ${place}`,
            domain: domainOf(place),
            pathLocation: pathOf(application),
            backendHost: nodeId === 1 ? '127.0.0.1' : '',
            backendPort: BROKEN.includes(application) ? 1 : port,
            tags: allMeans
              .filter((means) => placeOf[means] === place && TAGGED.includes(application))
              .map((means) => tagOf[means]),
          },
        }),
      ),
    );
  }
}

/** Where visitors find the services of a place. */
export const domainOf = (place: string): string => `${place}.example.test`;
export const pathOf = (application: string): string => `/${application.toLowerCase()}`;

async function visit({ ports }: GatewayProcess): Promise<void> {
  for (const place of Object.values(placeOf)) {
    for (const application of VISITED) {
      for (let number = 0; number < VISITS; number += 1) {
        const path = `${pathOf(application)}/${number % 4 === 0 ? 'broken' : 'page'}-${number}`;
        await curl(`https://${domainOf(place)}:${ports.https}${path}`);
      }
    }
  }
}
