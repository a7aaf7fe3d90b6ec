import { type Client, isApiError } from '@sallyport/sdk';
import type { HostConfig, HostConfigFile } from './hostConfig.ts';

/** So long the first address has to answer where another one is known: mostly nothing at all answers at a former one. */
const FIRST_MAX_MS = 10_000;
/** So long another address has to answer, while this host waits for it. */
const TRIAL_MAX_MS = 5000;
/** An address that has not answered is not tried again before. */
const TRY_AGAIN_MS = 60_000;

/** Whether what failed says that the gateway is not there; all else is an answer of it. */
const isNotThere = (error: unknown): boolean =>
  isApiError(error) && ['unreachable', 'untrusted', 'mismatch', 'missing'].includes(error.kind);

/**
 * Where the gateway says that it is reached, as a URL like the one by which this host reaches it; null: there, or over plain
 * HTTP, by which no key is known.
 */
function announcedUrl(url: string, announcedHost: string): string | null {
  const { protocol, port, pathname } = new URL(url);
  if (protocol !== 'https:') return null;
  const host = announcedHost.includes(':') && !announcedHost.startsWith('[') ? `[${announcedHost}]` : announcedHost;
  const announced = URL.parse(`https://${host}${port === '' ? '' : `:${port}`}${pathname}`);
  // Only a host may stand there, nothing that leads elsewhere.
  if (announced === null || announced.port !== port || announced.pathname !== pathname) return null;
  return `${announced.origin}${announced.pathname}`.replace(/\/+$/, '');
}

/**
 * Keeps a host with a gateway whose public address changes: while the known address still leads there, the host learns the
 * new one, and once the known one leads there no more, it goes on with that.
 */
export function createGatewayMoves(file: HostConfigFile, client: (config: HostConfig) => Promise<Client>) {
  const failed = { url: '', at: 0 };
  const keep = (config: HostConfig, addresses: Pick<HostConfig, 'url' | 'otherUrl'>): void => {
    file.keepAddresses(config.url, addresses);
    Object.assign(config, addresses);
  };
  return {
    /**
     * Asks the gateway where it is known to be, and where it is not there, at the other address, which takes the first place
     * then, in `config` as well.
     * @throws what the first address came to, where neither has the gateway
     */
    async ask<T>(config: HostConfig, work: (api: Client) => Promise<T>): Promise<T> {
      const { url, otherUrl } = config;
      const first = await client(config);
      const limits = otherUrl === undefined ? {} : { timeoutMs: FIRST_MAX_MS, maxRetries: 0 };
      try {
        return await work(first.withOptions(limits));
      } catch (error) {
        if (otherUrl === undefined || !isNotThere(error)) throw error;
        const other = { ...config, url: otherUrl };
        const answer = await work(await client(other)).catch((second: unknown) => {
          throw isNotThere(second) ? error : second;
        });
        keep(config, { url: otherUrl, otherUrl: url });
        return answer;
      }
    },

    /** Keeps the address at which the gateway says it is, once this node's token was accepted there, by the same key. */
    async learn(config: HostConfig, announcedHost: string, signal: AbortSignal): Promise<void> {
      const { url } = config;
      const otherUrl = announcedUrl(url, announcedHost);
      if (otherUrl === null || [url, config.otherUrl].includes(otherUrl)) return;
      if (failed.url === otherUrl && performance.now() - failed.at < TRY_AGAIN_MS) return;
      try {
        const api = await client({ ...config, url: otherUrl });
        await api.cli.node({}, { signal, timeoutMs: TRIAL_MAX_MS });
        keep(config, { url, otherUrl });
      } catch {
        // The known address works.
        Object.assign(failed, { url: otherUrl, at: performance.now() });
      }
    },
  };
}
