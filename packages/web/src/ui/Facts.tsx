import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type Fact = {
  label: string;
  value: ReactNode;
  mono?: boolean | undefined;
  /** Takes two columns where there are two. */
  wide?: boolean | undefined;
};

type FactsProps = {
  items: readonly Fact[];
  /** Short values: more of them side by side, two on a phone. */
  dense?: boolean | undefined;
};

/** Names and values of one thing, in as many columns as there is room for. */
export function Facts({ items, dense = false }: FactsProps) {
  return (
    <dl
      className={classes(
        'grid gap-x-6 gap-y-3',
        dense
          ? 'grid-cols-[repeat(auto-fit,minmax(min(7.25rem,100%),1fr))]'
          : 'grid-cols-[repeat(auto-fit,minmax(min(11rem,100%),1fr))]',
      )}
    >
      {items.map((item) => (
        <div key={item.label} className={classes('min-w-0', item.wide && 'col-span-2')}>
          <dt className="text-xs text-muted">{item.label}</dt>
          <dd className={classes('wrap-anywhere tabular-nums', item.mono && 'font-mono text-sm/5.5')}>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
