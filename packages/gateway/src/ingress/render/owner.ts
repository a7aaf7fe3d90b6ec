import type { Owner, OwnerKind } from './desiredState.ts';

/** What nginx said about a configuration, as far as it leads to an object. */
export type Blame = { file?: string; line?: number; path?: string; address?: string };

/** Whose fault it is; the innermost lines count. Null when it is nobody's or cannot be told. */
export function ownerOf(
  owners: readonly Owner[],
  { file, line, path, address }: Blame,
): { kind: OwnerKind; id: number } | null {
  const found = owners
    .flatMap((owner) => ('file' in owner && owner.file === file && line !== undefined ? [owner] : []))
    .filter(({ from, to }) => line !== undefined && from <= line && line <= to)
    .toSorted((left, right) => left.to - left.from - (right.to - right.from))[0];
  const owner =
    found ??
    owners.find((candidate) => 'path' in candidate && candidate.path === path) ??
    owners.find((candidate) => 'address' in candidate && candidate.address === address);
  return owner === undefined ? null : { kind: owner.kind, id: owner.id };
}
