import type { CheckedInputOf, EndpointName, EndpointNamed, ReplyOf } from '@sallyport/sdk/contract';
import { Failure, failure } from './failure.ts';
import type { Outcome } from '../store/rows.ts';
import type { Context } from './context.ts';
import { domainHandlers } from './domain/domain.ts';
import { httpServiceCalls, httpServiceHandlers } from './service/httpService.ts';
import { nodeHandlers, showNode } from './node/node.ts';
import { renewNodeToken } from './token/nodeToken.ts';
import { ownNode, ownNodeId } from './node/ownNode.ts';
import { sessionHandlers } from './session/session.ts';
import { tcpServiceCalls, tcpServiceHandlers } from './service/tcpService.ts';
import { foundToken, showToken } from './token/token.ts';

/** The calls that change something for a caller who is signed in. */
export type RepeatableName = {
  [N in EndpointName]: EndpointNamed<N> extends { method: 'GET' } | { access: 'open' } ? never : N;
}[EndpointName];

type Replay<N extends EndpointName> = (
  input: CheckedInputOf<EndpointNamed<N>>,
  outcome: Outcome,
  context: Context,
) => Promise<ReplyOf<EndpointNamed<N>>>;

/** What a call made; a call that makes nothing never asks. */
function madeIn({ id }: Outcome): number {
  if (id === undefined) throw failure.doneAndGone();
  return id;
}

const saved = <T>(service: T, { domainCreated = false, domainIsOwnName = false }: Outcome) => ({
  ...service,
  domainCreated,
  domainIsOwnName,
});
const deleted = async () => 'Deleted!';

const ownHttp = (id: number, context: Context) => httpServiceCalls.get({ nodeId: ownNodeId(context), id }, context);
const ownTcp = (id: number, context: Context) => tcpServiceCalls.get({ nodeId: ownNodeId(context), id }, context);

/**
 * How each call is answered that was carried out before: what it made or changed as it is now, and another secret in
 * place of one that was lost. One that is missing here does not compile.
 */
const replays: { [N in RepeatableName]: Replay<N> } = {
  // Signed out is signed out, and the cookie goes as well.
  'session.logout': (input, _outcome, context) => sessionHandlers['session.logout'](input, context),

  async 'node.create'(_input, outcome, context) {
    const node = await nodeHandlers['node.get']({ params: { id: madeIn(outcome) } }, context);
    return { ...node, token: await renewedSecret(outcome, context) };
  },
  'node.update': ({ params }, _outcome, context) => nodeHandlers['node.get']({ params }, context),
  'node.enable': ({ params }, _outcome, context) => nodeHandlers['node.get']({ params }, context),
  'node.disable': ({ params }, _outcome, context) => nodeHandlers['node.get']({ params }, context),
  'node.remove': deleted,

  'domain.create': (_input, outcome, context) =>
    domainHandlers['domain.get']({ params: { id: madeIn(outcome) } }, context),
  'domain.update': ({ params }, _outcome, context) => domainHandlers['domain.get']({ params }, context),
  'domain.remove': async (_input, { sentence }) => sentence ?? deleted(),

  'httpService.create': async ({ params: { nodeId } }, outcome, context) =>
    saved(await httpServiceCalls.get({ nodeId, id: madeIn(outcome) }, context), outcome),
  'httpService.update': async ({ params }, outcome, context) =>
    saved(await httpServiceHandlers['httpService.get']({ params }, context), outcome),
  'httpService.enable': ({ params }, _outcome, context) => httpServiceCalls.get(params, context),
  'httpService.disable': ({ params }, _outcome, context) => httpServiceCalls.get(params, context),
  'httpService.remove': deleted,

  'tcpService.create': async ({ params: { nodeId } }, outcome, context) =>
    saved(await tcpServiceCalls.get({ nodeId, id: madeIn(outcome) }, context), outcome),
  'tcpService.update': async ({ params }, outcome, context) =>
    saved(await tcpServiceHandlers['tcpService.get']({ params }, context), outcome),
  'tcpService.enable': ({ params }, _outcome, context) => tcpServiceCalls.get(params, context),
  'tcpService.disable': ({ params }, _outcome, context) => tcpServiceCalls.get(params, context),
  'tcpService.remove': deleted,

  async 'token.create'(_input, outcome, context) {
    const { row, secret } = await context.write((tx) => renewNodeToken(tx, outcome.tokenId, context.world.now()));
    return { ...showToken(row), token: secret };
  },
  'token.revoke': async ({ params }, _outcome, context) => showToken(await foundToken(context.store, params)),
  'token.remove': deleted,

  'cli.gateway': async (_input, _outcome, context) => showNode(await ownNode(context), context),
  'cli.exposeHttp': async (_input, outcome, context) => saved(await ownHttp(madeIn(outcome), context), outcome),
  'cli.exposeTcp': async (_input, outcome, context) => saved(await ownTcp(madeIn(outcome), context), outcome),
  'cli.updateHttp': async ({ params }, outcome, context) => saved(await ownHttp(params.id, context), outcome),
  'cli.updateTcp': async ({ params }, outcome, context) => saved(await ownTcp(params.id, context), outcome),
  'cli.enableHttp': ({ params }, _outcome, context) => ownHttp(params.id, context),
  'cli.disableHttp': ({ params }, _outcome, context) => ownHttp(params.id, context),
  'cli.enableTcp': ({ params }, _outcome, context) => ownTcp(params.id, context),
  'cli.disableTcp': ({ params }, _outcome, context) => ownTcp(params.id, context),
  async 'cli.regenerate'(_input, outcome, context) {
    const node = await ownNode(context);
    return { ...showNode(node, context), token: await renewedSecret(outcome, context) };
  },
};

async function renewedSecret({ tokenId }: Outcome, context: Context): Promise<string> {
  return (await context.write((tx) => renewNodeToken(tx, tokenId, context.world.now()))).secret;
}

/** Answers a call that was carried out before. @throws {Failure} 409 when what it concerns is gone, or in use */
export async function replay(name: EndpointName, input: unknown, outcome: Outcome, context: Context): Promise<unknown> {
  const answer = (replays as unknown as Record<string, Replay<never>>)[name];
  if (answer === undefined) throw new Error(`${name} cannot be repeated`);
  try {
    return await answer(input as never, outcome, context);
  } catch (error) {
    throw error instanceof Failure && error.status === 404 ? failure.doneAndGone() : error;
  }
}
