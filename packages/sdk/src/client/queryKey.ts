import type { EndpointName, EndpointNamed, Group } from '../contract/contract.ts';
import type { InputOf } from '../contract/endpoint.ts';

type Split<N extends EndpointName> = N extends `${infer G}.${infer V}` ? readonly [G, V] : never;

/** The key of an endpoint's replies in a query cache, with or without the input that they answer. */
export type QueryKey<N extends EndpointName = EndpointName> =
  | Split<N>
  | readonly [...Split<N>, InputOf<EndpointNamed<N>>];

/** The same value with its keys in order and what is undefined left out, so that equal inputs make equal keys. */
function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, part]) => [name, settled(part)]),
  );
}

/**
 * `queryKey('node.list', input)` is `['node', 'list', input]`; without an input it is `['node', 'list']`, which stands for
 * all of them when a cache is invalidated.
 */
export function queryKey<N extends EndpointName>(name: N): Split<N>;
export function queryKey<N extends EndpointName>(
  name: N,
  input: InputOf<EndpointNamed<N>>,
): readonly [...Split<N>, InputOf<EndpointNamed<N>>];
export function queryKey(name: EndpointName, input?: unknown): readonly unknown[] {
  const parts = name.split('.');
  return input === undefined ? parts : [...parts, settled(input)];
}

/** `groupKey('node')` is `['node']`: everything that is known about nodes. */
export const groupKey = <G extends Group>(group: G): readonly [G] => [group];
