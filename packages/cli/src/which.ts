import { field, serviceTypes, type Token } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import type { Context } from './context.ts';
import type { FoundService } from './find.ts';

/** How a command line says which service it means. */
export const whichFlags = {
  service: field.requiredText(),
  node: z.optional(z.string()),
  type: z.optional(field.oneOf(serviceTypes)),
};

/** What these are for. */
export const whichHelp = {
  service: { text: 'its name or id', value: 'name|id' },
  node: { text: 'look for it on this node', value: 'name|id' },
  type: { text: 'look for a service of this type' },
} as const;

type Which = { service: string; node?: string | undefined; type?: (typeof serviceTypes)[number] | undefined };

/** Finds the one service that is meant, or throws the `Failure` that lists the candidates. */
export async function findService(context: Context, { service, node, type }: Which): Promise<FoundService> {
  const find = await context.find();
  const nodeId = node === undefined ? undefined : (await find.node(node)).id;
  return find.service({ text: service, nodeId, type });
}

type Saved = Pick<FoundService, 'id' | 'enabled' | 'publicAccess' | 'problem' | 'health' | 'healthReason'> & {
  domainCreated: boolean;
  domainIsOwnName: boolean;
};

/** Says what a service that was saved is missing before visitors can use it, and where they reach it. */
export function saySaved({ io }: Context, saved: Saved): void {
  const { id, enabled, publicAccess, problem, health, healthReason, domainCreated, domainIsOwnName } = saved;
  if (domainCreated) io.say('Its domain was unknown and has been added, self-signed and without validation.');
  if (domainIsOwnName) io.say('Its domain is a name of the gateway itself, so it was saved without a domain.');
  if (!enabled) io.say(`It is closed to visitors; \`sallyport service enable ${id}\` opens it.`);
  else if (problem !== null) io.say(`It cannot be served yet: ${problem}`);
  else io.say(`Visitors reach it at ${publicAccess}.`);
  if (health === 'down') io.say(`Its backend does not answer${healthReason ? `: ${healthReason}` : '.'}`);
}

/** How a command line says which access token it means. */
export const whichTokenFlags = { token: field.requiredText(), node: field.requiredText() };

/** What these are for. */
export const whichTokenHelp = {
  token: { text: 'its name or id', value: 'name|id' },
  node: { text: 'the node that it belongs to', value: 'name|id' },
} as const;

/** Finds the one token that is meant, or throws the `Failure` that lists the candidates. */
export async function findToken(context: Context, which: { token: string; node: string }): Promise<Token> {
  const find = await context.find();
  return find.token((await find.node(which.node)).id, which.token);
}
