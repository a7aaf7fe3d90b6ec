import type { EndpointName } from './contract.ts';
import { type Endpoint, isRepeatable } from './endpoint.ts';

/**
 * The errors that an endpoint may answer, with the kind that the SDK gives them, in the order of their status; `name` is
 * that of the answer in the OpenAPI document.
 */
const replies = [
  { status: '400', name: 'rejected', kind: 'rejected', description: 'Refused; `message` says why, for the user.' },
  { status: '401', name: 'unauthorized', kind: 'unauthorized', description: 'No token, or one that is not accepted.' },
  { status: '404', name: 'missing', kind: 'missing', description: 'There is no such thing.' },
  {
    status: '409',
    name: 'repeated',
    kind: 'conflict',
    description: 'The `Idempotency-Key` belongs to another request, or what the repeated one made is gone or in use.',
  },
  { status: '412', name: 'conflict', kind: 'conflict', description: 'It has another version than `If-Match` says.' },
  {
    status: '422',
    name: 'invalid',
    kind: 'invalid',
    description: 'Some fields are wrong; `errors` says which, and why.',
  },
  {
    status: '429',
    name: 'throttled',
    kind: 'throttled',
    description: 'Too many attempts, or streams or changes of one node; `Retry-After` says when to try again.',
  },
  {
    status: '5XX',
    name: 'server',
    kind: 'server',
    description: 'The gateway failed; `requestId` finds it in its log.',
  },
] as const;

export type ErrorReply = (typeof replies)[number];

/** A write of one thing may be made to depend on its version; a session has none. */
export const takesIfMatch = ({ method, params, path }: Endpoint) =>
  params !== undefined && (method === 'PATCH' || method === 'DELETE') && !path.startsWith('/api/sessions/');

/** The errors that an endpoint may answer; every one has the same body. */
export function errorReplies(call: EndpointName, endpoint: Endpoint): readonly ErrorReply[] {
  const { params, query, access } = endpoint;
  const body = endpoint.kind === 'call' ? endpoint.body : undefined;
  const isLogin = call === 'session.login';
  const may: Record<ErrorReply['name'], boolean> = {
    rejected: endpoint.method !== 'GET',
    unauthorized: access !== 'open' || isLogin,
    missing: params !== undefined || endpoint.kind === 'stream',
    repeated: isRepeatable(endpoint),
    conflict: takesIfMatch(endpoint),
    invalid: [params, query, body].some((part) => part !== undefined),
    // Those of an access token are counted.
    throttled: isLogin || (access !== 'admin' && (endpoint.kind === 'stream' || isRepeatable(endpoint))),
    server: true,
  };
  return replies.filter((reply) => may[reply.name]);
}
