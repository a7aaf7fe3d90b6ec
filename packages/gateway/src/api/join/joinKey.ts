import { randomBytes } from 'node:crypto';
import { type JoinKey, joinKey, joinKeyAttributes, message, withDefaults } from '@sallyport/sdk/contract';
import { tokenExpiryProblem } from '@sallyport/sdk/rules';
import { hashOfToken } from '../authenticate.ts';
import type { Context, HandlersOf } from '../context.ts';
import { answeredRows } from '../entities.ts';
import { failure, refuseProblems, requireVersion } from '../failure.ts';
import { createNode, machineOf, newNodeForm, showNode } from '../node/node.ts';
import { nodeOf } from '../node/nodeRows.ts';
import { createNodeToken, renewNodeToken } from '../token/token.ts';
import type { JoinKeyRow } from '../../store/rows.ts';
import type { StoreReader, Transaction } from '../../store/transaction.ts';
import { joinCommand } from './joinScript.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_MS = 24 * HOUR_MS;
/** So long one that is of no more use is listed. */
const KEPT_MS = 7 * DEFAULT_MS;

const answered = answeredRows(joinKey);
const showKey = async (stored: JoinKeyRow, { nodes }: Pick<StoreReader, 'nodes'>): Promise<JoinKey> => {
  const node = stored.nodeId === null ? null : await nodes.get(stored.nodeId);
  return { ...answered(stored).row, nodeName: node?.name ?? null };
};

export const joinKeyHandlers: HandlersOf<'joinKey'> = {
  async 'joinKey.list'({ query }, { store }) {
    const page = await store.joinKeys.list(query);
    return { ...page, data: await Promise.all(page.data.map((row) => showKey(row, store))) };
  },

  async 'joinKey.create'({ body }, context) {
    const now = context.world.now();
    const form = withDefaults(joinKeyAttributes, body);
    const code = newCode();
    const row = await context.write(
      async (tx) => {
        refuseProblems([tokenExpiryProblem(form.expireAt, now)]);
        if (form.nodeId !== null) await nodeOf(tx, form.nodeId);
        await removeOld(tx, now);
        return tx.joinKeys.create({
          ...form,
          expireAt: form.expireAt ?? new Date(now.getTime() + DEFAULT_MS).toISOString(),
          codeHash: hashOfCode(code),
          uses: 0,
          lastUsedAt: null,
        });
      },
      ({ id }) => ({ id }),
    );
    return withCode(row, code, context);
  },

  async 'joinKey.remove'({ params: { id } }, context) {
    await context.write(async (tx) => {
      const row = await foundKey(tx, id);
      requireVersion(row, context);
      await tx.joinKeys.remove(id);
    });
    return 'Deleted!';
  },

  async 'joinKey.redeem'({ body: { code, claim, name, gatewayNetworks } }, context) {
    const { world } = context;
    // Anyone may ask: what is no code is refused before anything is made.
    await usableKey(context.store, code, world.now());
    const machine = await machineOf(context);
    const keys = world.newNodeKeys();
    const joined = await context.write(async (tx) => {
      const key = await usableKey(tx, code, world.now());
      const { id, nodeId, isGateway } = key;
      const claimed = { caller: `join ${id}`, keyHash: hashOfToken(claim) };
      const before = await tx.idempotencyKeys.find(claimed.caller, claimed.keyHash);
      if (before !== null) {
        const { row, secret } = await renewNodeToken(tx, before.outcome.tokenId, world.now());
        return { node: await nodeOf(tx, row.nodeId), secret };
      }
      if (key.uses > 0 && !key.reusable) throw failure.unauthorized('This code was used already. Ask for a new one.');
      const made =
        nodeId === null
          ? await createNode(tx, context, {
              form: newNodeForm({ name: requiredName(name, key), isGateway, gatewayNetworks: gatewayNetworks ?? [] }),
              said: {},
              machine,
              keys,
            })
          : await nodeOf(tx, nodeId);
      const { row, secret } = await createNodeToken(tx, made.id, { name: key.name, expireAt: null });
      await tx.joinKeys.update(id, { uses: key.uses + 1, lastUsedAt: world.now().toISOString() });
      const outcome = { id: made.id, tokenId: row.id };
      const call = { call: 'joinKey.redeem', requestHash: '', tokenHash: key.codeHash };
      await tx.idempotencyKeys.keep({ ...claimed, ...call, outcome });
      return { node: made, secret };
    });
    return { ...showNode(joined.node, context), token: joined.secret };
  },
};

/** What is answered of a key whose first answer was lost: it has another code from now on. */
export async function renewedKey(id: number, context: Context) {
  const code = newCode();
  const row = await context.write(async (tx) => {
    const before = await foundKey(tx, id);
    if (before.uses > 0) throw failure.doneAndUsed();
    return tx.joinKeys.update(id, { codeHash: hashOfCode(code) });
  });
  return withCode(row, code, context);
}

async function withCode(row: JoinKeyRow, code: string, { settings, store, world }: Context) {
  const command = joinCommand({ ...settings, keyPin: await world.consoleKeyPin() });
  return { ...(await showKey(row, store)), code, command };
}

async function foundKey(tx: Transaction, id: number): Promise<JoinKeyRow> {
  const row = await tx.joinKeys.get(id);
  if (row === null) throw failure.notFound('Join key not found');
  return row;
}

/** Only who has the code learns whether it was used. @throws {Failure} 401 */
async function usableKey(at: Pick<StoreReader, 'joinKeys'>, code: string, now: Date): Promise<JoinKeyRow> {
  const [row] = await at.joinKeys.all({ codeHash: hashOfCode(code) });
  if (row === undefined) throw failure.unauthorized('The gateway does not know this code. Look at it again.');
  // A time that cannot be read has passed.
  if (!(Date.parse(row.expireAt) > now.getTime()))
    throw failure.unauthorized('This code has expired. Ask for a new one.');
  return row;
}

/** @throws {Failure} 422 */
function requiredName(name: string | undefined, { namePattern }: JoinKeyRow): string {
  if (name === undefined) throw failure.invalid([{ field: 'name', message: message.required }]);
  if (namePattern !== null && !isLike(name, namePattern)) {
    throw failure.invalid([{ field: 'name', message: `The name must be like ${namePattern}` }]);
  }
  return name;
}

/** Whether a text is like a pattern, where `*` stands for anything. It takes one pass. */
export function isLike(text: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const between = text.slice(first.length, text.length - last.length);
  let at = 0;
  for (const part of others) {
    const found = between.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

async function removeOld(tx: Transaction, now: Date): Promise<void> {
  const isOld = (row: JoinKeyRow): boolean => {
    const usedAt = row.reusable || row.lastUsedAt === null ? row.expireAt : row.lastUsedAt;
    return !(Date.parse(usedAt) > now.getTime() - KEPT_MS);
  };
  for (const row of await tx.joinKeys.all()) if (isOld(row)) await tx.joinKeys.remove(row.id);
}

/** Crockford's letters: none of them is taken for another one. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 80 bits: too many to guess, also from the hash. */
const CODE_LETTERS = 16;

const newCode = (): string =>
  [...randomBytes(CODE_LETTERS)].map((byte, at) => (at > 0 && at % 4 === 0 ? '-' : '') + LETTERS[byte % 32]).join('');

/** Of the code as it is meant, however it was typed. */
const hashOfCode = (code: string): string =>
  hashOfToken(code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1'));
