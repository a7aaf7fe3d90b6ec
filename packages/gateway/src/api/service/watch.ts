import type { Page } from '@sallyport/sdk/contract';
import type { ServiceKind } from '../../world.ts';
import type { Context } from '../context.ts';
import { watchValue, type Watch } from '../watch.ts';

/** The stream of a page of services: the whole page, whenever a service was changed or something was found out. */
export function watchServices<Query extends object, Shown>(
  { kind, query, list }: { kind: ServiceKind; query: Query; list(query: Query): Promise<Page<Shown>> },
  { store, world, failed }: Context,
): Watch<Page<Shown>> {
  return watchValue({
    key: `${kind}.watch ${JSON.stringify(query)}`,
    read: () => list(query),
    subscribe(signal) {
      const stops = [
        store.onChange((changes) => {
          if (changes.some((change) => change.kind === kind)) signal();
        }),
        world.onFindings(signal),
      ];
      return () => stops.forEach((stop) => stop());
    },
    failed,
  });
}
