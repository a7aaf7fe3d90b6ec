import {
  type BufferedLine,
  formatBytes,
  formatExact,
  levelOf,
  type LogDetails,
  parseDetails,
  parseLine,
  printable,
} from '@sallyport/sdk';
import { Funnel, ShieldBan, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/Button.tsx';
import { CopyButton } from '../../ui/controls/CopyButton.tsx';
import { IconButton } from '../../ui/controls/IconButton.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { formatDuration } from './LogTable.tsx';
import { choiceOf, type LogFilter, onlyChoices, requestOf } from './logFilter.ts';

type LogLineDetailsProps = {
  line: BufferedLine;
  filter: LogFilter;
  onFilter: (filter: LogFilter) => void;
  /** Asks whether an address is to be kept out of the service that answered. */
  onBlock: (address: string, service: NonNullable<LogDetails['service']>) => void;
  onClose: () => void;
};

const UTC = { timeZone: 'UTC' };

/** Everything known about the request or connection of a line, and what can be done about it. */
export function LogLineDetails({ line, filter, onFilter, onBlock, onClose }: LogLineDetailsProps) {
  const parsed = parseLine(line.text);
  const { host, agent, received, backendMilliseconds, service } = parseDetails(line.details);
  const request = parsed && requestOf(parsed);
  const isTcp = service?.type === 'tcp';
  return (
    <aside
      aria-label="Details of the line"
      className="flex max-h-[45%] min-h-0 shrink-0 flex-col rounded-md border border-line bg-surface xl:max-h-none xl:w-96"
    >
      <div className="flex items-center gap-2 border-b border-line py-1 pr-1 pl-3">
        <h2 className="min-w-0 flex-1 truncate font-semibold">
          {request ? printable(`${request.method} ${request.path}`) : 'Line'}
        </h2>
        {parsed?.status ? (
          <Badge
            tone={levelOf(line.text) === 'ERROR' ? 'danger' : levelOf(line.text) === 'WARN' ? 'warning' : 'neutral'}
          >
            {String(parsed.status)}
          </Badge>
        ) : null}
        <IconButton label="Close the details" icon={<X size={16} aria-hidden />} size="md" onClick={onClose} />
      </div>
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-3">
        {parsed && request ? (
          <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm [&_dd]:wrap-anywhere [&_dt]:text-muted">
            <Fact name="Time">
              {formatExact(parsed.time)}
              {formatExact(parsed.time) === formatExact(parsed.time, UTC) ? null : (
                <span className="block text-muted">{formatExact(parsed.time, UTC)}</span>
              )}
            </Fact>
            <Fact name={isTcp ? 'Port' : 'Path'} copied={printable(request.path)} />
            {isTcp ? null : <Fact name="Host" copied={host && printable(host)} />}
            <Fact name="Protocol">{printable(isTcp ? request.method : request.protocol)}</Fact>
            <Fact name="Visitor" copied={parsed.client} />
            {isTcp ? null : <Fact name="User agent">{agent && printable(agent)}</Fact>}
            <Fact name={isTcp ? 'Lasted' : 'Duration'}>{formatDuration(parsed.milliseconds)}</Fact>
            <Fact name="Backend" copied={parsed.upstream && printable(parsed.upstream)} />
            <Fact name="Backend took">
              {backendMilliseconds === undefined
                ? null
                : formatDuration(within(parsed.milliseconds, backendMilliseconds))}
            </Fact>
            <Fact name="Sent">{formatBytes(parsed.bytes)}</Fact>
            <Fact name="Received">{received === undefined ? null : formatBytes(received)}</Fact>
          </dl>
        ) : (
          <p className="text-sm wrap-anywhere">{printable(line.text)}</p>
        )}
        {parsed ? (
          <div className="flex flex-wrap gap-1.5">
            {onlyChoices.map((choice) => {
              const value = choiceOf[choice](parsed);
              return value === null || value === '' ? null : (
                <Button
                  key={choice}
                  size="sm"
                  icon={<Funnel size={14} aria-hidden />}
                  disabled={filter.only[choice] === value}
                  onClick={() => onFilter({ ...filter, only: { ...filter.only, [choice]: value } })}
                >
                  Only this {isTcp && choice === 'path' ? 'port' : choice}
                </Button>
              );
            })}
            {parsed.client && service ? (
              <Button
                size="sm"
                icon={<ShieldBan size={14} aria-hidden />}
                onClick={() => onBlock(parsed.client ?? '', service)}
              >
                Block this address
              </Button>
            ) : null}
          </div>
        ) : null}
        <div className="flex items-start gap-1 rounded-sm bg-sunken p-2">
          <code className="min-w-0 flex-1 text-xs wrap-anywhere">{printable(line.text)}</code>
          <CopyButton text={printable(line.text)} label="Copy the line" />
        </div>
      </div>
    </aside>
  );
}

/** nginx reads two clocks for the whole and for its part, so the part may seem to be a little longer. */
const within = (whole: number | null, part: number): number => Math.min(whole ?? part, part);

type FactProps = { name: string; copied?: string | null | undefined; children?: ReactNode };

/** What is not known is left out. */
function Fact({ name, copied, children = copied }: FactProps) {
  if (children === null || children === undefined || children === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className="flex min-w-0 items-center gap-1 [&_button]:-my-1.5">
        <span className="min-w-0">{children}</span>
        {copied ? <CopyButton text={copied} label={`Copy the ${name.toLowerCase()}`} /> : null}
      </dd>
    </>
  );
}
