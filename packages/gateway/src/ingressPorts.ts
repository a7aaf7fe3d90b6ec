import type { Store } from './store/store.ts';
import { chooseIngressPorts, type IngressPorts } from './system/listenPorts.ts';

/**
 * The ports on which visitors arrive: those of the environment, else those of the start before, else what is free. They
 * are stored, so that links and bookmarks stay right.
 * @throws {StartError} when none are free
 */
export async function ingressPorts(
  store: Store,
  wanted: { http: number | null; https: number | null },
  choose: () => Promise<IngressPorts> = chooseIngressPorts,
): Promise<IngressPorts> {
  const stored = { http: await store.settings.get('httpPort'), https: await store.settings.get('httpsPort') };
  const http = wanted.http ?? (stored.http === null ? null : Number(stored.http));
  const https = wanted.https ?? (stored.https === null ? null : Number(stored.https));
  const chosen = http === null || https === null ? await choose() : null;
  const ports = { http: http ?? chosen?.http ?? 0, https: https ?? chosen?.https ?? 0 };
  await store.write(async (tx) => {
    await tx.settings.set('httpPort', String(ports.http));
    await tx.settings.set('httpsPort', String(ports.https));
  });
  return ports;
}
