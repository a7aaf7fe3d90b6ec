import { LIMIT_MAX, serviceAccesses, serviceStatuses } from '@sallyport/sdk/contract';
import { tagKey } from '@sallyport/sdk/rules';
import { ListFilter } from 'lucide-react';
import { useId, useState } from 'react';
import { useRead } from '../../data/queries.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Chips } from '../../ui/controls/Chips.tsx';
import { Select, type SelectOption } from '../../ui/controls/TextInput.tsx';
import type { ShownFilter } from './servicesFilter.ts';
import { statusLabels } from './ServiceStatus.tsx';

const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'http', label: 'HTTP' },
  { value: 'tcp', label: 'TCP' },
  { value: 'udp', label: 'UDP' },
] as const;

const accessLabels: Record<(typeof serviceAccesses)[number], string> = {
  open: 'Everyone',
  'sign-in': 'Sign-in',
  list: 'A list of addresses',
};

type ServicesFiltersProps = {
  filter: ShownFilter;
  /** What changes of it; undefined takes one away. */
  onChange: (change: { [K in keyof ShownFilter]: ShownFilter[K] | undefined }) => void;
  onClear: () => void;
};

/** What narrows down the list of all services. All but the kind is folded away until someone wants it, or the address says it. */
export function ServicesFilters({ filter, onChange, onClear }: ServicesFiltersProps) {
  const { kind = 'all', ...others } = filter;
  const count = Object.keys(others).length;
  const [open, setOpen] = useState(count > 0);
  const panel = useId();
  return (
    <>
      <Chips
        label="Show"
        options={KINDS}
        value={kind}
        onChange={(value) => onChange({ kind: value === 'all' ? undefined : value })}
      />
      <Button
        size="sm"
        icon={<ListFilter size={16} aria-hidden />}
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        onClick={() => setOpen(!open)}
      >
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      {open ? (
        <FilterPanel id={panel} filter={filter} onChange={onChange} onClear={count > 0 ? onClear : null} />
      ) : null}
    </>
  );
}

type FilterPanelProps = Pick<ServicesFiltersProps, 'filter' | 'onChange'> & {
  id: string;
  onClear: (() => void) | null;
};

function FilterPanel({ id, filter, onChange, onClear }: FilterPanelProps) {
  const nodes = useRead('node.list', { query: { orderBy: 'name,asc', page: 1, limit: LIMIT_MAX } });
  const domains = useRead('domain.list', { query: { orderBy: 'domain,asc', page: 1, limit: LIMIT_MAX } });
  const services = useRead('service.list', { query: { orderBy: 'name,asc', page: 1, limit: LIMIT_MAX } });
  const { status = '', access = '', node, domain = '', tag = '' } = filter;
  const tags = [...new Map(services.data?.data.flatMap((each) => each.tags.map((one) => [tagKey(one), one]))).values()];
  return (
    <fieldset id={id} className="order-last flex w-full flex-wrap items-center gap-2">
      <legend className="sr-only">Filters</legend>
      <Choice
        label="Status"
        value={status}
        options={serviceStatuses.map((value) => ({ value, label: statusLabels[value] }))}
        onChange={(value) => onChange({ status: serviceStatuses.find((each) => each === value) })}
      />
      <Choice
        label="Access"
        value={access}
        options={serviceAccesses.map((value) => ({ value, label: accessLabels[value] }))}
        onChange={(value) => onChange({ access: serviceAccesses.find((each) => each === value) })}
      />
      <Choice
        label="Node"
        value={node === undefined ? '' : String(node)}
        options={(nodes.data?.data ?? []).map((each) => ({ value: String(each.id), label: each.name }))}
        onChange={(value) => onChange({ node: value === '' ? undefined : Number(value) })}
      />
      <Choice
        label="Domain"
        value={domain}
        options={(domains.data?.data ?? []).map((each) => ({ value: each.domain, label: each.domain }))}
        onChange={(value) => onChange({ domain: value || undefined })}
      />
      <Choice
        label="Tag"
        value={tag}
        options={tags.toSorted((a, b) => a.localeCompare(b)).map((each) => ({ value: each, label: each }))}
        onChange={(value) => onChange({ tag: value || undefined })}
      />
      {onClear ? (
        <Button size="sm" onClick={onClear}>
          Clear filters
        </Button>
      ) : null}
    </fieldset>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  options: readonly SelectOption[];
  onChange: (value: string) => void;
};

function Choice({ label, value, options, onChange }: ChoiceProps) {
  // What the address asks for is shown also before the list is there, and when it is not in it.
  const isKnown = value === '' || options.some((option) => option.value === value);
  return (
    <Select
      aria-label={label}
      className="w-full max-w-full sm:w-44 sm:[&_select]:h-8 sm:[&_select]:text-sm"
      value={value}
      options={[
        { value: '', label: `Any ${label.toLowerCase()}` },
        ...(isKnown ? [] : [{ value, label: `${label} ${value}` }]),
        ...options,
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
