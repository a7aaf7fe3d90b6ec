import type { Namespace } from './namespaces.ts';
import { eventually, PORTS, type TunnelScene } from './tunnelScene.ts';

/** Joins a namespace as the node `home`, whose page the gateway then serves at `/web`; resolves to the node's number. */
export async function serveHome(scene: TunnelScene, home: Namespace): Promise<number> {
  const { body } = await scene.api('POST /api/nodes', { name: 'home' });
  const id = Number(body['id']);
  await scene.join(home, id);
  await scene.serve(home, String(body['address']), 'home');
  await scene.api(`POST /api/services/${id}/http`, { name: 'Web', pathLocation: '/web', backendPort: PORTS.http });
  await eventually(
    () => scene.visit('/web'),
    (page) => page.endsWith(' 200'),
  );
  return id;
}
