import { httpServiceDefaults, nodeDefaults } from '@sallyport/sdk/contract';
import type { NewRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Writer } from '../store/transaction.ts';

/** The local node is made first, and its id is never given again. */
const LOCAL_ID = 1;
const LOCAL = {
  ...nodeDefaults,
  name: 'Local',
  address: '127.0.0.1',
  isLocal: true,
  enabled: true,
  publicKey: null,
  sealedPrivateKey: null,
  sealedPresharedKey: null,
};
/** What of the local node can be edited: the others are always as above. */
const { name: _name, tags: _tags, notes: _notes, ...FIXED } = LOCAL;
const CONSOLE_NAME = 'Sallyport console';
/** Of the console's service, what its `builtin` flag locks. */
const CONSOLE = {
  pathLocation: '/',
  backendProto: 'http',
  requireAuth: false,
  skipAuthRoutes: null,
  enabled: true,
  expiresAt: null,
  closedAt: null,
  closedBy: null,
  builtin: true,
} as const;

/** Where the gateway itself listens; the console's built-in service leads there. */
export type SeedOptions = { listen: { host: string; port: number } };

/** Makes the local node and its console service, and lets the service follow the gateway's own address. */
export async function seed(store: Store, { listen }: SeedOptions): Promise<void> {
  await store.write(async (tx) => {
    const known = (await tx.nodes.all({ isLocal: true }))[0] ?? (await tx.nodes.get(LOCAL_ID));
    const local =
      known === null
        ? await tx.nodes.create(LOCAL)
        : await repaired(known, { ...FIXED, name: nameOf(known) }, tx.nodes);
    const backend = { backendHost: listen.host, backendPort: listen.port };
    const [builtin] = await tx.httpServices.all({ builtin: true });
    const fixed = { ...CONSOLE, ...backend, nodeId: local.id };
    if (builtin === undefined) {
      await tx.httpServices.create({ ...httpServiceDefaults, ...fixed, name: CONSOLE_NAME });
    } else {
      await repaired(builtin, fixed, tx.httpServices);
    }
  });
}

const nameOf = ({ name }: { name: unknown }): string => (typeof name === 'string' ? name : LOCAL.name);

/** The row with these values, which cannot be edited and may have been damaged. */
async function repaired<Row extends { id: number }, Fixed extends Partial<NewRow<Row>>>(
  row: Row,
  fixed: Fixed,
  table: Pick<Writer<Row>, 'update'>,
): Promise<Row> {
  const differs = Object.entries(fixed).some(([name, value]) => row[name as keyof Row] !== value);
  return differs ? table.update(row.id, fixed) : row;
}
