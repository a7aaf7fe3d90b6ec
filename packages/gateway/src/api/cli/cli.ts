import { DEFAULT_INTERFACE, nodeHandlers, showNode } from '../node/node.ts';
import { failure } from '../failure.ts';
import { configurationOf, nodeOf, ownNode, ownNodeId } from '../node/nodeRows.ts';
import type { NodeRow, Outcome } from '../../store/rows.ts';
import type { Context, HandlersOf } from '../context.ts';
import { httpServiceCalls, httpServiceHandlers, showHttpService } from '../service/httpService.ts';
import { inTurn } from '../writer.ts';
import { showTcpService, tcpServiceCalls, tcpServiceHandlers } from '../service/tcpService.ts';
import { createNodeToken, FIRST_TOKEN_NAME } from '../token/token.ts';

/**
 * The service that a host exposes once more. What is left out stays as it is: the host must not take away the lists of
 * addresses that the administrator gave the service meanwhile.
 */
function namesake(services: readonly { id: number; name: string }[]): number | null {
  const [first, second] = services;
  if (second !== undefined) {
    const problem = 'This node has several services of that name. Rename them in the console first';
    throw failure.invalid([{ field: 'name', message: problem }]);
  }
  return first?.id ?? null;
}

/** For the first of two writes: a repeated request does both, until the second one is done. */
const half = (context: Context): Context => ({ ...context, write: (work) => context.write(work, null) });
/** For the second one. */
const whole = (context: Context, outcome: Outcome): Context => ({
  ...context,
  write: (work) => context.write(work, () => outcome),
});

/** The calls of a node's own access token. Which node is meant, the token alone says. */
export const cliHandlers: HandlersOf<'cli'> = {
  async 'cli.node'(_input, context) {
    const { store } = context;
    const node = await ownNode(context);
    const [http, tcp] = await Promise.all([
      store.httpServices.all({ nodeId: node.id }),
      store.tcpServices.all({ nodeId: node.id }),
    ]);
    return {
      ...showNode(node, context),
      httpServices: http.map((row) => showHttpService(row, context)),
      tcpServices: tcp.map((row) => showTcpService(row, context)),
    };
  },

  'cli.config': async (_input, context) => configurationOf(await ownNode(context), context).text,
  'cli.wgconfig': async (_input, context) => configurationOf(await ownNode(context), context).parts,

  async 'cli.gateway'({ body: { gatewayNetwork: subnet, gatewayInterface } }, context) {
    const { id, version, isGateway, gatewayNetworks } = await ownNode(context);
    if (!isGateway) {
      throw failure.rejected("This node isn't a gateway. The administrator can make it one in the console.");
    }
    const [first, ...others] = gatewayNetworks ?? [];
    const device = gatewayInterface ?? first?.interface ?? DEFAULT_INTERFACE;
    return nodeHandlers['node.update'](
      // What is wrong with it is said of the field that was sent.
      { params: { id }, body: { gatewayNetwork: subnet, gatewayNetworks: [{ interface: device, subnet }, ...others] } },
      // The other networks are sent as they were read here, so a change of them meanwhile is refused and not overwritten.
      { ...context, ifMatch: context.ifMatch ?? version },
    );
  },

  'cli.listHttp': ({ query }, context) =>
    httpServiceCalls.listOfNode(ownNodeId(context), { ...query, nodeId: undefined }, context),
  'cli.listTcp': ({ query }, context) =>
    tcpServiceCalls.listOfNode(ownNodeId(context), { ...query, nodeId: undefined }, context),

  async 'cli.exposeHttp'({ body }, context) {
    const nodeId = ownNodeId(context);
    const { ttl, ...said } = body;
    return inTurn(context.store, `http ${nodeId} ${body.name}`, async () => {
      const id = namesake(await context.store.httpServices.all({ nodeId, name: body.name }));
      if (id === null) return httpServiceHandlers['httpService.create']({ params: { nodeId }, body }, context);
      const params = { nodeId, id };
      const { domainCreated, domainIsOwnName } = await httpServiceHandlers['httpService.update'](
        { params, body: said },
        half(context),
      );
      const saved = { domainCreated, domainIsOwnName };
      return { ...(await httpServiceCalls.enable(params, whole(context, { id, ...saved }), ttl)), ...saved };
    });
  },

  async 'cli.exposeTcp'({ body }, context) {
    const nodeId = ownNodeId(context);
    const { ttl, ...said } = body;
    return inTurn(context.store, `tcp ${nodeId} ${body.name}`, async () => {
      const id = namesake(await context.store.tcpServices.all({ nodeId, name: body.name }));
      if (id === null) return tcpServiceHandlers['tcpService.create']({ params: { nodeId }, body }, context);
      const params = { nodeId, id };
      const { domainCreated, domainIsOwnName } = await tcpServiceHandlers['tcpService.update'](
        { params, body: said },
        half(context),
      );
      const saved = { domainCreated, domainIsOwnName };
      return { ...(await tcpServiceCalls.enable(params, whole(context, { id, ...saved }), ttl)), ...saved };
    });
  },

  'cli.updateHttp': ({ params: { id }, body }, context) =>
    httpServiceHandlers['httpService.update']({ params: { nodeId: ownNodeId(context), id }, body }, context),
  'cli.updateTcp': ({ params: { id }, body }, context) =>
    tcpServiceHandlers['tcpService.update']({ params: { nodeId: ownNodeId(context), id }, body }, context),
  'cli.enableHttp': ({ params: { id }, body }, context) =>
    httpServiceCalls.enable({ nodeId: ownNodeId(context), id }, context, body?.ttl),
  'cli.disableHttp': ({ params: { id } }, context) =>
    httpServiceCalls.disable({ nodeId: ownNodeId(context), id }, context),
  'cli.enableTcp': ({ params: { id }, body }, context) =>
    tcpServiceCalls.enable({ nodeId: ownNodeId(context), id }, context, body?.ttl),
  'cli.disableTcp': ({ params: { id } }, context) =>
    tcpServiceCalls.disable({ nodeId: ownNodeId(context), id }, context),

  async 'cli.regenerate'(_input, context) {
    const expireAt = context.caller?.expiresAt?.toISOString() ?? null;
    const { row, secret } = await replaceNodeKeys(ownNodeId(context), expireAt, context);
    return { ...showNode(row, context), token: secret };
  },
};

/**
 * New keys for a node: the old ones, and all of its access tokens, are of no use from now on.
 * @param expireAt when the new token ends; a token must not make itself one that outlives it
 */
async function replaceNodeKeys(
  nodeId: number,
  expireAt: string | null,
  { world, write }: Pick<Context, 'world' | 'write'>,
): Promise<{ row: NodeRow; secret: string }> {
  const keys = world.newNodeKeys();
  const { row, secret } = await write(
    async (tx) => {
      await nodeOf(tx, nodeId);
      for (const { id } of await tx.tokens.all({ nodeId })) await tx.tokens.remove(id);
      const node = await tx.nodes.update(nodeId, keys);
      const token = await createNodeToken(tx, nodeId, { name: FIRST_TOKEN_NAME, expireAt });
      return { row: node, secret: token.secret, tokenId: token.row.id };
    },
    ({ tokenId }) => ({ tokenId }),
  );
  return { row, secret };
}
