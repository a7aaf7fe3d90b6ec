import type { ObjectKind } from '../world.ts';

/** An object among those of all kinds: `httpService 5`. */
export type ObjectKey = `${ObjectKind} ${number}`;

export const objectKey = (kind: ObjectKind, id: number): ObjectKey => `${kind} ${id}`;
