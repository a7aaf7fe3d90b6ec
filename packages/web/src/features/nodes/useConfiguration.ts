import { isApiError } from '@sallyport/sdk';
import { useState } from 'react';
import { useConnection } from '../../data/connection.ts';
import { saveFile } from '../../data/saveFile.ts';

/** A call that this gateway lists but cannot do. */
const NOT_IMPLEMENTED = 501;

/**
 * A node's WireGuard configuration, fetched when it is asked for and not before: its private key is in it. `missing`
 * remembers that this gateway makes none.
 */
export function useConfiguration() {
  const { client, fail } = useConnection();
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState(false);

  const fetchFile = async (id: number) => {
    setBusy(true);
    try {
      return await client.node.download({ params: { id } });
    } catch (error) {
      setMissing(isApiError(error) && error.status === NOT_IMPLEMENTED);
      fail(error, { tell: true });
      return null;
    } finally {
      setBusy(false);
    }
  };

  return {
    busy,
    missing,
    async save(id: number) {
      const file = await fetchFile(id);
      if (file) saveFile(file);
    },
    /** The configuration as text; null when it could not be had. */
    read: async (id: number) => (await fetchFile(id))?.data.text() ?? null,
  };
}
