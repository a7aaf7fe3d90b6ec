import type { Domain } from '@sallyport/sdk/contract';
import { showActionToast } from './actionToast.tsx';
import { confirmWith } from './confirmation.tsx';
import type { Connection } from './connection.ts';
import { invoke, queriesOf, readAfter } from './queries.ts';
import { toasts } from '../state/toasts.ts';
import { removalOf } from './domainRemoval.tsx';

/** After a service was deleted: offers to delete its domain as well, if that has no service any more. */
export async function offerDomainRemoval(connection: Connection, name: string): Promise<void> {
  const { client, fail } = connection;
  const query = { domain: name, limit: 1 };
  try {
    const [http, tcp, { data }] = await Promise.all([
      invoke(client, 'httpService.listAll', { query }),
      invoke(client, 'tcpService.listAll', { query }),
      invoke(client, 'domain.list', { query: { search: name } }),
    ]);
    const domain = data.find((each) => each.domain === name);
    if (domain === undefined || http.total + tcp.total > 0) return;
    showActionToast({
      message: `${name} has no service any more.`,
      action: (
        <button type="button" onClick={() => void removeDomain(connection, domain)}>
          Delete domain …
        </button>
      ),
    });
  } catch (error) {
    // It was an offer; the domain can be deleted in its list.
    fail(error, { tell: false });
  }
}

/** Asks, and deletes the domain as it was shown. */
const removeDomain = (connection: Connection, domain: Domain): Promise<void> => {
  const { client, fail } = connection;
  return confirmWith(connection, {
    row: domain,
    question: removalOf,
    async act({ id, version }) {
      try {
        await invoke(client, 'domain.remove', { params: { id } }, { ifMatch: version });
      } catch (error) {
        fail(error, { tell: true });
        throw error;
      } finally {
        readAfter(queriesOf(connection), 'domain.remove');
      }
      toasts.show('Domain deleted successfully!', 'success');
    },
    read: ({ id }) => invoke(client, 'domain.get', { params: { id } }),
  });
};
