import type { EndpointName } from './contract.ts';
import type { Endpoint } from './endpoint.ts';

/** The errors that an endpoint may answer, by the kind that the SDK gives them, in the order of their status. */
const replies = [
  { status: '400', kind: 'rejected', description: 'Refused; `message` says why, for the user.' },
  { status: '401', kind: 'unauthorized', description: 'No token, or one that is not accepted.' },
  { status: '404', kind: 'missing', description: 'There is no such thing.' },
  { status: '412', kind: 'conflict', description: 'It has another version than `If-Match` says.' },
  { status: '422', kind: 'invalid', description: 'Some fields are wrong; `errors` says which, and why.' },
  { status: '429', kind: 'throttled', description: 'Too many attempts; `Retry-After` says when to try again.' },
  { status: '5XX', kind: 'server', description: 'The gateway failed; `requestId` finds it in its log.' },
] as const;

export type ErrorReply = (typeof replies)[number];

/** A write of one thing may be made to depend on its version. */
export const takesIfMatch = ({ method, params }: Endpoint) =>
  params !== undefined && (method === 'PATCH' || method === 'DELETE');

/** The errors that an endpoint may answer; every one has the same body. */
export function errorReplies(name: EndpointName, endpoint: Endpoint): readonly ErrorReply[] {
  const { params, query, access } = endpoint;
  const body = endpoint.kind === 'call' ? endpoint.body : undefined;
  const isLogin = name === 'session.login';
  const may: Record<ErrorReply['kind'], boolean> = {
    rejected: endpoint.method !== 'GET',
    unauthorized: access !== 'open' || isLogin,
    missing: params !== undefined || endpoint.kind === 'stream',
    conflict: takesIfMatch(endpoint),
    invalid: [params, query, body].some((part) => part !== undefined),
    throttled: isLogin,
    server: true,
  };
  return replies.filter(({ kind }) => may[kind]);
}
