import type { Store } from '../store/store.ts';
import { UnwritableError } from '../store/open.ts';
import { chooseIngressPorts, type IngressPorts } from '../machine/listenPorts.ts';
import { StartError } from '../machine/startError.ts';

/**
 * The ports on which visitors arrive: those of the environment, else those of the start before, else what is free. They
 * are stored, so that links and bookmarks stay right.
 * @throws {StartError} when none are free, or one is meant for two things
 */
export async function ingressPorts(
  store: Store,
  wanted: { http: number | null; https: number | null; console: number },
  choose: () => Promise<IngressPorts> = chooseIngressPorts,
): Promise<IngressPorts> {
  const stored = { http: await store.settings.get('httpPort'), https: await store.settings.get('httpsPort') };
  const http = wanted.http ?? (stored.http === null ? null : Number(stored.http));
  const https = wanted.https ?? (stored.https === null ? null : Number(stored.https));
  const chosen = http === null || https === null ? await choose() : null;
  const ports = { http: http ?? chosen?.http ?? 0, https: https ?? chosen?.https ?? 0 };
  if (new Set([ports.http, ports.https, wanted.console]).size < 3) {
    throw new StartError(
      `The ports for HTTP (${ports.http}), HTTPS (${ports.https}) and the console (${wanted.console}) must differ. Change SALLYPORT_HTTP_PORT, SALLYPORT_HTTPS_PORT or SALLYPORT_CONSOLE_PORT.`,
    );
  }
  if (stored.http === String(ports.http) && stored.https === String(ports.https)) return ports;
  try {
    await store.write(async (tx) => {
      await tx.settings.set('httpPort', String(ports.http));
      await tx.settings.set('httpsPort', String(ports.https));
    });
  } catch (error) {
    // On a full disk they serve all the same, and are kept by a later start.
    if (!(error instanceof UnwritableError)) throw error;
  }
  return ports;
}
