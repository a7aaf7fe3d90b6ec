import { join } from 'node:path';
import { namespacesProblem } from '../e2e/support/namespaces.ts';
import { openTunnelScene } from '../e2e/support/tunnelScene.ts';
import { startHandwritten, startFastBackend } from './support/handwritten.mjs';
import { atLeastTimes, middleTurn, notMeasured } from './support/figures.mjs';
import { nginxPidFile } from './support/gateway.mjs';
import { hasWrk, requestsPerSecond } from './support/wrk.mjs';

const TIMES_MARK = 0.95;
const NAME = 'HTTPS through ingress and tunnel, 1 kB, keep-alive';
const DOMAIN = 'tunnel.example.test';
const PATH = '/far';

/**
 * Requests a second that get through the ingress to a backend behind the tunnel, next to an nginx that somebody configured
 * by hand for speed, which goes through the same tunnel to the same backend. All in networks of their own.
 */
export default async function measure() {
  const reason = hasWrk() ? await namespacesProblem() : 'wrk is missing';
  if (reason !== null) return [notMeasured(TIMES_MARK, { name: NAME, unit: 'requests/s', reason })];
  const scene = await openTunnelScene();
  const opened = [];
  try {
    const far = await scene.host('node', '198.18.0.20');
    const { id, address } = await made(scene, 'POST /api/nodes', { name: 'far' });
    const { down } = await scene.join(far, Number(id));
    opened.push({ stop: down });
    const backend = await startFastBackend({ address, namespace: far });
    opened.push(backend);
    await made(scene, 'POST /api/domains', { domain: DOMAIN, skipValidation: true });
    const service = { name: 'far', domain: DOMAIN, pathLocation: PATH, backendPort: backend.port };
    await made(scene, `POST /api/services/${id}/http`, service);
    const namespace = scene.home;
    const handwritten = await startHandwritten({
      backendHost: address,
      backendPort: backend.port,
      certificate: join(scene.gateway.data, 'secrets', 'certificates', DOMAIN, 'pair.pem'),
      namespace,
    });
    opened.push(handwritten);
    const target = { host: DOMAIN, path: PATH, backend, namespace };
    const rates = await requestsPerSecond({
      handwritten: { ...target, port: handwritten.port, pidFile: handwritten.pidFile },
      gateway: { ...target, port: scene.gateway.ports.https, pidFile: nginxPidFile(scene.gateway) },
    });
    return [
      atLeastTimes(TIMES_MARK, { name: NAME, unit: 'requests/s', ...middleTurn(rates.gateway, rates.handwritten) }),
    ];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    await scene.close();
  }
}

async function made(scene, call, body) {
  const reply = await scene.api(call, body);
  if (reply.status >= 300) throw new Error(`${call} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}
