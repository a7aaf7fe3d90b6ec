import type { Domain } from '@sallyport/sdk/contract';
import { showActionToast } from './actionToast.tsx';
import { confirmWith } from './confirmation.tsx';
import type { Connection } from './connection.ts';
import { invoke, queriesOf, readAfter } from './queries.ts';
import { toasts } from '../state/toasts.ts';
import { removalOf } from './domainRemoval.tsx';

/** Each is asked about by itself; of more than these, the rest can be deleted in their list. */
const DOMAINS_MAX = 50;

/** After services were deleted: offers to delete their domains as well, those that have no service any more. */
export async function offerDomainRemoval(
  connection: Connection,
  deleted: readonly { domain: string | null }[],
): Promise<void> {
  const names = [...new Set(deleted.flatMap(({ domain }) => domain ?? []))].slice(0, DOMAINS_MAX);
  try {
    const domains = await unusedOf(connection, names);
    const [domain] = domains;
    if (domain === undefined) return;
    const isOne = domains.length === 1;
    showActionToast({
      message: isOne
        ? `${domain.domain} has no service any more.`
        : `${domains.length} domains have no service any more.`,
      action: (
        <button
          type="button"
          onClick={() => void (isOne ? removeDomain(connection, domain) : removeDomains(connection, domains))}
        >
          {isOne ? 'Delete domain …' : 'Delete domains …'}
        </button>
      ),
    });
  } catch (error) {
    // It was an offer; the domains can be deleted in their list.
    connection.fail(error, { tell: false });
  }
}

/** Those of the domains that are there and have no service. */
async function unusedOf({ client }: Connection, names: readonly string[]): Promise<Domain[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const [{ total }, { data }] = await Promise.all([
        invoke(client, 'service.list', { query: { domain: name, limit: 1 } }),
        invoke(client, 'domain.list', { query: { search: name } }),
      ]);
      return total > 0 ? [] : data.filter(({ domain }) => domain === name);
    }),
  );
  return found.flat();
}

/** Asks once, and deletes those that are still as they were shown and got no service meanwhile. */
const removeDomains = (connection: Connection, domains: readonly Domain[]): Promise<void> => {
  const what = `${domains.length} domains`;
  return confirmWith(connection, {
    row: domains,
    question: () => ({
      title: `Delete ${what}?`,
      text: 'Are you sure you want to delete these domains?',
      about: (
        <ul className="list-disc pl-5">
          {domains.map(({ id, domain }) => (
            <li key={id}>{domain}</li>
          ))}
        </ul>
      ),
      variant: 'danger',
      accept: `Delete ${what}`,
    }),
    async act() {
      const { client, fail } = connection;
      try {
        const names = domains.map(({ domain }) => domain);
        const unused = new Set((await unusedOf(connection, names)).map(({ id }) => id));
        const results = await Promise.allSettled(
          domains
            .filter(({ id }) => unused.has(id))
            .map(({ id, version }) => invoke(client, 'domain.remove', { params: { id } }, { ifMatch: version })),
        );
        const done = results.filter(({ status }) => status === 'fulfilled').length;
        if (done === domains.length) toasts.show(`${what} deleted.`, 'success');
        else toasts.show(`${done} of ${what} deleted. The others were changed meanwhile, or could not be.`, 'warning');
      } catch (error) {
        fail(error, { tell: true });
      } finally {
        readAfter(queriesOf(connection), 'domain.remove');
      }
    },
  });
};

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
