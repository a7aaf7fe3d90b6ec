import type { Token } from '@sallyport/sdk/contract';
import { field } from '@sallyport/sdk/contract';
import type { Context } from '../context.ts';

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
