import { useState } from 'react';
import { useConnection } from '../../data/connection.ts';
import { saveFile } from '../../state/browser.ts';

/** A node's WireGuard configuration, fetched when it is asked for and not before: its private key is in it. */
export function useConfiguration() {
  const { client, fail } = useConnection();
  const [busy, setBusy] = useState(false);

  const fetchFile = async (id: number, reader: 'wg-quick' | 'app') => {
    setBusy(true);
    try {
      return await client.node.download({ params: { id }, query: { for: reader } });
    } catch (error) {
      fail(error, { tell: true });
      return null;
    } finally {
      setBusy(false);
    }
  };

  return {
    busy,
    /** Resolves to whether it could be had. */
    async save(id: number): Promise<boolean> {
      const file = await fetchFile(id, 'wg-quick');
      if (file) saveFile(file);
      return file !== null;
    },
    /** The configuration as text for WireGuard's app on a phone; null when it could not be had. */
    read: async (id: number) => (await fetchFile(id, 'app'))?.data.text() ?? null,
  };
}
