import { LIMIT_MAX, type ServiceStatus } from '@sallyport/sdk/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useConnection } from '../data/connection.ts';
import { isSilent } from '../data/nodeSign.ts';
import { read } from '../data/queries.ts';

/** How often it is asked. A window in the background has no stream, and is where the sign is for. */
const ASK_MS = 20_000;
const often = { refetchInterval: ASK_MS, refetchIntervalInBackground: true };

const COUNT = /^\(\d+\) /;

/**
 * Shows in the tab of the browser that something is wrong: how many services are down or cannot be served, and how many
 * nodes have fallen silent, stands before the title, and the icon has a dot.
 */
export function TroubleSign() {
  const count = useServices('down') + useServices('failing') + useSilentNodes();
  useEffect(() => {
    if (count === 0) return undefined;
    const mark = () => {
      if (!COUNT.test(document.title)) document.title = `(${count}) ${document.title}`;
    };
    mark();
    // Every screen sets a title of its own.
    const titles = new MutationObserver(mark);
    titles.observe(document.head, { childList: true, characterData: true, subtree: true });
    const icon = document.querySelector('link[rel=icon]');
    const usual = icon?.getAttribute('href') ?? '';
    icon?.setAttribute('href', '/favicon-trouble.svg');
    return () => {
      titles.disconnect();
      document.title = document.title.replace(COUNT, '');
      icon?.setAttribute('href', usual);
    };
  }, [count]);
  return null;
}

function useServices(status: ServiceStatus): number {
  const { client } = useConnection();
  return useQuery({ ...read(client, 'service.list', { query: { status, limit: 1 } }), ...often }).data?.total ?? 0;
}

/** One that was disconnected, or that no host has joined yet, is not missed. */
function useSilentNodes(): number {
  const { client } = useConnection();
  const nodes = read(client, 'node.list', { query: { orderBy: 'status,asc', limit: LIMIT_MAX } });
  const { data } = useQuery({ ...nodes, ...often });
  return data?.data.filter(isSilent).length ?? 0;
}
