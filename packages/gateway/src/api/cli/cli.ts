import { DEFAULT_INTERFACE, nodeHandlers, showNode } from '../node/node.ts';
import { failure, requireVersion } from '../failure.ts';
import { configurationOf, nodeOf, ownNode, ownNodeId } from '../node/nodeRows.ts';
import type { NodeRow } from '../../store/rows.ts';
import type { Context, HandlersOf } from '../context.ts';
import { httpServices, showHttpService } from '../service/httpService.ts';
import { OPENED } from '../service/service.ts';
import { inTurn } from '../writer.ts';
import { showTcpService, tcpServices } from '../service/tcpService.ts';
import { createNodeToken, FIRST_TOKEN_NAME } from '../token/token.ts';

/** The calls of a node's own access token. Which node is meant, the token alone says. */
export const cliHandlers: HandlersOf<'cli'> = {
  async 'cli.node'({ query: { fresh } }, context) {
    const { store, world } = context;
    const node = await ownNode(context);
    const [http, tcp] = await Promise.all([
      store.httpServices.all({ nodeId: node.id }),
      store.tcpServices.all({ nodeId: node.id }),
    ]);
    if (fresh !== undefined) {
      await Promise.all([
        ...http.map(({ id }) => world.asked('httpService', id)),
        ...tcp.map(({ id }) => world.asked('tcpService', id)),
      ]);
    }
    return {
      ...showNode(node, context),
      httpServices: http.map((row) => showHttpService(row, context)),
      tcpServices: tcp.map((row) => showTcpService(row, context)),
    };
  },

  'cli.config': async (_input, context) => configurationOf(await ownNode(context), context).text,
  'cli.wgconfig': async (_input, context) => configurationOf(await ownNode(context), context).parts,

  async 'cli.gateway'({ body: { gatewayNetwork: subnet, gatewayInterface } }, context) {
    const node = await ownNode(context);
    const { id, version, isGateway, gatewayNetworks } = node;
    requireVersion(node, context);
    if (!isGateway) {
      throw failure.rejected("This node isn't a gateway. The administrator can make it one in the console.");
    }
    const [first, ...others] = gatewayNetworks ?? [];
    const device = gatewayInterface ?? first?.interface ?? DEFAULT_INTERFACE;
    await nodeHandlers['node.update'](
      // What is wrong with it is said of the field that was sent.
      { params: { id }, body: { gatewayNetwork: subnet, gatewayNetworks: [{ interface: device, subnet }, ...others] } },
      // The other networks are sent as they were read here, so a change of them meanwhile is refused and not overwritten.
      { ...context, ifMatch: version },
    );
    return showNode(await ownNode(context), context);
  },

  'cli.listHttp': ({ query }, context) => httpServices.listOfNode(ownNodeId(context), query, context),
  'cli.listTcp': ({ query }, context) => tcpServices.listOfNode(ownNodeId(context), query, context),
  'cli.exposeHttp': ({ body }, context) => expose('http', httpServices, body, context),
  'cli.exposeTcp': ({ body }, context) => expose('tcp', tcpServices, body, context),
  'cli.updateHttp': ({ params, body }, context) => httpServices.update(own(params, context), body, context),
  'cli.updateTcp': ({ params, body }, context) => tcpServices.update(own(params, context), body, context),
  'cli.enableHttp': ({ params, body }, context) => httpServices.enable(own(params, context), context, body?.ttl),
  'cli.enableTcp': ({ params, body }, context) => tcpServices.enable(own(params, context), context, body?.ttl),
  'cli.disableHttp': ({ params }, context) => httpServices.disable(own(params, context), context),
  'cli.disableTcp': ({ params }, context) => tcpServices.disable(own(params, context), context),

  async 'cli.regenerate'(_input, context) {
    // A token must not make itself one that outlives it.
    const expireAt = context.caller?.expiresAt?.toISOString() ?? null;
    const { row, secret } = await replaceNodeKeys(ownNodeId(context), expireAt, context);
    return { ...showNode(row, context), token: secret };
  },
};

const own = ({ id }: { id: number }, context: Context) => ({ nodeId: ownNodeId(context), id });

/** The services of one kind. */
type Services<Body, Saved> = {
  named(at: Context['store'], nodeId: number, name: string): Promise<{ id: number }[]>;
  create(nodeId: number, body: Body, context: Context): Promise<Saved>;
  update(params: { nodeId: number; id: number }, body: Body, context: Context, columns: typeof OPENED): Promise<Saved>;
};

/**
 * Opens a new service, or the node's service of that name. What is left out stays as it is: the host must not take away
 * the lists of addresses that the administrator gave the service meanwhile.
 */
function expose<Body extends { name: string; ttl?: string | null | undefined }, Saved>(
  type: 'http' | 'tcp',
  services: Services<Body, Saved>,
  body: Body,
  context: Context,
): Promise<Saved> {
  const nodeId = ownNodeId(context);
  return inTurn(context.store, `${type} ${nodeId} ${body.name}`, async () => {
    const [namesake, second] = await services.named(context.store, nodeId, body.name);
    if (second !== undefined) {
      const problem = 'This node has several services of that name. Rename them in the console first';
      throw failure.invalid([{ field: 'name', message: problem }]);
    }
    if (namesake === undefined) return services.create(nodeId, body, context);
    return services.update({ nodeId, id: namesake.id }, { ...body, ttl: body.ttl ?? null }, context, OPENED);
  });
}

/** New keys for a node: the old ones, and all of its access tokens, are of no use from now on. */
async function replaceNodeKeys(
  nodeId: number,
  expireAt: string | null,
  { world, write }: Pick<Context, 'world' | 'write'>,
): Promise<{ row: NodeRow; secret: string }> {
  const keys = world.newNodeKeys();
  return write(
    async (tx) => {
      await nodeOf(tx, nodeId);
      for (const { id } of await tx.tokens.all({ nodeId })) await tx.tokens.remove(id);
      const row = await tx.nodes.update(nodeId, keys);
      const token = await createNodeToken(tx, nodeId, { name: FIRST_TOKEN_NAME, expireAt });
      return { row, secret: token.secret, tokenId: token.row.id };
    },
    ({ tokenId }) => ({ tokenId }),
  );
}
