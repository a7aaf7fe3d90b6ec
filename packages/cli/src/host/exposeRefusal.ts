import { isApiError } from '@sallyport/sdk';
import { field, message, type OwnNode } from '@sallyport/sdk/contract';
import { Failure } from '../failure.ts';

/** Where a service was to be reached. */
type Place = { domain?: string | null | undefined; pathLocation?: string | null | undefined };

/**
 * What was thrown when a service was to be opened; in words of `http` and `tcp` where the node may not use the domain, or
 * the address has a service already. Whose it is does not concern the node.
 */
export function explainRefusal(error: unknown, { domain, pathLocation }: Place, { id }: OwnNode): unknown {
  if (!isApiError(error, 'invalid')) return error;
  if (error.problems.some(({ message: text }) => text === message.domainNotYours)) {
    // It will be pasted into a shell, and the gateway may have chosen the domain.
    const name = field.domainName.safeParse(domain).data ?? 'DOMAIN';
    return new Failure(
      'usage',
      message.domainNotYours,
      `The administrator allows it with \`sallyport domain edit ${name} --allowed-nodes ${id}\`, where other nodes that may use it are named as well.`,
      { cause: error },
    );
  }
  // That it is taken is the one thing that is ever wrong with both.
  const fields = new Set(error.problems.map((problem) => problem.field));
  if (fields.size === 2 && fields.has('domain') && fields.has('pathLocation')) {
    return new Failure(
      'usage',
      `The path ${pathLocation ?? '/'} of ${domain ?? "the gateway's own address"} has another service already.`,
      'Give another --path, or another --domain.',
      { cause: error },
    );
  }
  return error;
}
