import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type Fact = { label: string; value: ReactNode; mono?: boolean | undefined };

/** Names and values of one thing, in as many columns as there is room for. */
export function Facts({ items }: { items: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(11rem,100%),1fr))] gap-x-6 gap-y-3">
      {items.map((item) => (
        <div key={item.label} className="min-w-0">
          <dt className="text-xs text-muted">{item.label}</dt>
          <dd className={classes('wrap-anywhere tabular-nums', item.mono && 'font-mono text-sm')}>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
