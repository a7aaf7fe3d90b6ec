import type { ReactNode } from 'react';
import { classes } from './classes.ts';

const LAYOUTS = {
  columns: 'grid grid-cols-[repeat(auto-fit,minmax(min(11rem,100%),1fr))] gap-x-6 gap-y-3',
  six: 'grid grid-cols-2 gap-x-6 gap-y-3 @lg:grid-cols-3 @4xl:grid-cols-6',
  line: 'flex flex-wrap gap-x-5 gap-y-0.5 *:flex *:items-baseline *:gap-2 [&_dd]:text-ink',
};

export type Fact = {
  label: string;
  value: ReactNode;
  mono?: boolean | undefined;
  /** Takes two columns where there are two. */
  wide?: boolean | undefined;
};

type FactsProps = {
  items: readonly Fact[];
  /** `six` is for six short values or five with a wide one: whole rows of 2, 3 or 6. `line` stands under a title. */
  layout?: keyof typeof LAYOUTS | undefined;
};

/** Names and values of one thing, in as many columns as there is room for. */
export function Facts({ items, layout = 'columns' }: FactsProps) {
  return (
    <dl className={LAYOUTS[layout]}>
      {items.map((item) => (
        <div key={item.label} className={classes('min-w-0', item.wide && 'col-span-2')}>
          <dt className="text-xs text-muted">{item.label}</dt>
          <dd className="min-w-0 wrap-anywhere tabular-nums">
            {/* Within the line of the common type, so that both stand on it. */}
            {item.mono ? <span className="font-mono text-sm leading-none">{item.value}</span> : item.value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
