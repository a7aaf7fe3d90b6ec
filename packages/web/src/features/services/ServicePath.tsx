import type { Node } from '@sallyport/sdk/contract';
import { serviceStatus } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { ArrowRight, CircleSlash, CircleDashed, Check, PenLine, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useUnavailable } from '../../data/gateway.ts';
import { signOf } from '../../data/nodeSign.ts';
import { IconButton } from '../../ui/controls/IconButton.tsx';
import { nodeStates } from '../../ui/layout/Badge.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { classes } from '../../ui/layout/classes.ts';
import { AddressText, backendTarget, PublicAddress } from './serviceDetails.tsx';
import type { Service } from './services.ts';
import { statusLabels } from './ServiceStatus.tsx';

/** How a step of the way is: visitors get past it, are stopped there by a fault or on purpose, or that is not known. */
type StepState = 'open' | 'broken' | 'shut' | 'unknown';
type Step = { state: StepState; word: string };

type StepNode = Pick<Node, 'isLocal' | 'enabled' | 'status' | 'latestHandshakeTimestamp'>;

/**
 * Where visitors get to on their way, step by step; of a fault, the first step that has it.
 * @param isTunnelOff the gateway has no tunnel at the moment
 */
export function stepsOf(
  service: Parameters<typeof serviceStatus>[0],
  node: StepNode | undefined,
  isTunnelOff = false,
): Record<'address' | 'node' | 'backend', Step> {
  const status = serviceStatus(service);
  const nodeStep = stepOfNode(node, isTunnelOff);
  // Without its node nothing that is said of the service is a fault of its own.
  const nodeStops = nodeStep.state === 'broken' || nodeStep.state === 'shut';
  const address: Step =
    status === 'closed'
      ? { state: 'shut', word: statusLabels.closed }
      : status === 'failing'
        ? { state: nodeStops ? 'unknown' : 'broken', word: statusLabels.failing }
        : { state: 'open', word: 'Open' };
  const backend: Step =
    status === 'up'
      ? { state: 'open', word: 'Answers' }
      : status === 'down' && !nodeStops
        ? { state: 'broken', word: 'Does not answer' }
        : { state: 'unknown', word: status === 'down' ? 'Not reached' : 'Not asked' };
  return { address, node: nodeStep, backend };
}

/** Whether visitors get past a node that is not Local. */
const NODE_STEPS = {
  online: 'open',
  idle: 'unknown',
  offline: 'broken',
  waiting: 'broken',
  disabled: 'shut',
} as const;

function stepOfNode(node: StepNode | undefined, isTunnelOff: boolean): Step {
  if (node === undefined) return { state: 'unknown', word: 'Not known' };
  if (node.isLocal) return { state: 'open', word: 'This gateway' };
  const sign = signOf(node);
  // What keeps all nodes away, not this one.
  if (isTunnelOff && sign !== 'disabled') return { state: 'broken', word: 'The tunnel is off' };
  return { state: NODE_STEPS[sign], word: nodeStates[sign].name };
}

type ServicePathProps = {
  service: Service;
  node: Node | undefined;
  /** Opens the form at a field. */
  onEdit: (field: string) => void;
};

/** The way of a visitor: public address, node, backend, each with a sign. The step that is at fault stands out. */
export function ServicePath({ service, node, onEdit }: ServicePathProps) {
  const steps = stepsOf(service, node, useUnavailable('tunnel') !== null);
  const edit = (what: string, field: string) => (
    <IconButton
      label={`Edit ${what}`}
      size="md"
      icon={<PenLine size={16} aria-hidden />}
      onClick={() => onEdit(field)}
    />
  );
  const isBuiltin = 'builtin' in service && service.builtin;
  return (
    <Card>
      <ol
        aria-label="The way of a visitor"
        className="-mx-2 -my-1 flex flex-col @3xl:grid @3xl:grid-cols-[minmax(0,5fr)_minmax(0,3fr)_minmax(0,4fr)]"
      >
        <PathStep step={steps.address} label="Public address" edit={edit('address', 'domain')}>
          <PublicAddress service={service} />
        </PathStep>
        <PathStep step={steps.node} label="Node" isNext>
          <Link to="/nodes/$id" params={{ id: String(service.nodeId) }} className="link wrap-anywhere">
            <bdi>{node?.name ?? `Node ${service.nodeId}`}</bdi>
          </Link>
          {node ? <span className="ml-2 font-mono text-xs text-muted">{node.address}</span> : null}
        </PathStep>
        <PathStep
          step={steps.backend}
          label="Backend"
          // Which is the node itself, unless that reaches others: what changes is the port.
          edit={isBuiltin ? null : edit('backend', 'backendPort')}
          isNext
        >
          <span className="font-mono text-sm wrap-anywhere">
            <AddressText>{backendTarget(service, node?.address ?? null)}</AddressText>
          </span>
        </PathStep>
      </ol>
    </Card>
  );
}

const LOOKS: Record<StepState, { icon: ReactNode; ink: string }> = {
  open: { icon: <Check size={14} aria-hidden />, ink: 'text-success-ink' },
  broken: { icon: <X size={14} aria-hidden />, ink: 'text-danger-ink' },
  shut: { icon: <CircleSlash size={14} aria-hidden />, ink: 'text-muted' },
  unknown: { icon: <CircleDashed size={14} aria-hidden />, ink: 'text-muted' },
};

type PathStepProps = {
  step: Step;
  label: string;
  /** It comes after another. */
  isNext?: boolean;
  /** The button that changes what stands in it. */
  edit?: ReactNode;
  children: ReactNode;
};

function PathStep({ step: { state, word }, label, isNext = false, edit, children }: PathStepProps) {
  const { icon, ink } = LOOKS[state];
  return (
    <li className="flex min-w-0 flex-col gap-1 @3xl:flex-row @3xl:items-center">
      {isNext ? (
        <ArrowRight
          size={16}
          aria-hidden
          className="ml-2 shrink-0 rotate-90 text-muted @3xl:mr-1 @3xl:ml-0 @3xl:rotate-0"
        />
      ) : null}
      <div
        className={classes(
          'flex min-w-0 flex-1 items-center gap-1 rounded-md px-2 py-1.5',
          state === 'broken' && 'bg-danger-soft',
        )}
      >
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
            {label}
            <span className={classes('inline-flex items-center gap-1 font-medium', ink)}>
              {icon}
              {word}
            </span>
          </p>
          <div className="min-w-0 wrap-anywhere">{children}</div>
        </div>
        {edit}
      </div>
    </li>
  );
}
