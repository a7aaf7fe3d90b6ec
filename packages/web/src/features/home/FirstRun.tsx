import type { Domain } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { Button, linkButton } from '../../ui/controls/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { classes } from '../../ui/layout/classes.ts';
import { firstRun, type Step } from './firstSteps.tsx';

/** What opens the forms of the steps. */
export type FirstRunActions = {
  onExpose: () => void;
  onAddNode: () => void;
  /** Or goes on with one that is there. */
  onAddDomain: (domain?: Domain) => void;
};

/** Puts the steps away; the focus goes on with what is left of the page. */
function putAway(): void {
  firstRun.set('over');
  document.querySelector<HTMLElement>('#main')?.focus();
}

/** The way from an empty gateway to one that is in use: four steps, of which the next one is open. */
export function FirstRun({ steps, ...actions }: FirstRunActions & { steps: readonly Step[] }) {
  const open = steps.find(({ done }) => !done);
  return (
    <Card
      title="First steps"
      description={<output>{`${steps.filter(({ done }) => done).length} of ${steps.length} done`}</output>}
      actions={
        <Button size="sm" onClick={putAway}>
          Dismiss
        </Button>
      }
    >
      <ol className="flex flex-col divide-y divide-line border-t border-line">
        {steps.map((step, index) => (
          <StepRow key={step.name} step={step} number={index + 1} isOpen={step === open} {...actions} />
        ))}
      </ol>
    </Card>
  );
}

type StepRowProps = FirstRunActions & { step: Step; number: number; isOpen: boolean };

function StepRow({ step, number, isOpen, ...actions }: StepRowProps) {
  const { title, text } = WORDS[step.name];
  return (
    <li
      aria-current={isOpen ? 'step' : undefined}
      className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 py-2 @lg:flex-nowrap"
    >
      <span
        className={classes(
          'inline-flex size-6 shrink-0 items-center justify-center rounded-full border text-xs font-medium',
          step.done
            ? 'border-transparent bg-success-soft text-success-ink'
            : isOpen
              ? 'border-accent text-accent-ink'
              : 'border-edge text-muted',
        )}
      >
        {step.done ? <Check size={14} aria-hidden /> : number}
      </span>
      <div className="min-w-0 flex-1 basis-3/4 @lg:basis-auto">
        <p className={classes('font-medium', !isOpen && 'text-muted')}>
          {title}
          {step.done ? <span className="sr-only"> (done)</span> : null}
        </p>
        {step.note === null && !isOpen ? null : <p className="text-sm wrap-anywhere text-muted">{step.note ?? text}</p>}
      </div>
      {step.done ? null : (
        <span className="ml-9 flex flex-wrap gap-2 @lg:ml-0">
          <StepAction {...step} isOpen={isOpen} {...actions} />
        </span>
      )}
    </li>
  );
}

const WORDS: Record<Step['name'], { title: string; text: string }> = {
  address: {
    title: 'Public address',
    text: 'The name or address by which hosts and visitors reach this gateway.',
  },
  service: {
    title: 'Expose a service',
    text: 'Of this machine, or of a host that has joined: say which port it listens on, and visitors reach it here.',
  },
  node: {
    title: 'Join a second host',
    text: 'It dials out to this gateway, so nothing is opened in its own network.',
  },
  domain: {
    title: 'Domain with a certificate',
    text: 'Have its DNS record lead to this gateway, then add it here.',
  },
};

/** What takes the step. That of the next one is the primary button of the page. */
function StepAction({
  name,
  needsTunnel,
  selfSigned,
  isOpen,
  onExpose,
  onAddNode,
  onAddDomain,
}: Omit<StepRowProps, 'step' | 'number'> & Pick<Step, 'name' | 'needsTunnel' | 'selfSigned'>) {
  const look = { size: 'sm', variant: isOpen ? 'info' : 'default' } as const;
  if (name === 'address' || needsTunnel) {
    return linkButton(
      <Link to="/settings/$group" params={{ group: needsTunnel ? 'features' : 'gateway' }}>
        {needsTunnel ? 'Set Up the Tunnel' : 'Choose Address'}
      </Link>,
      look,
    );
  }
  const { text, act } = {
    service: { text: 'Expose Service', act: onExpose },
    node: { text: 'Add Client', act: onAddNode },
    domain: { text: selfSigned ? 'Get a Certificate' : 'Add Domain', act: () => onAddDomain(selfSigned) },
  }[name];
  return (
    <Button {...look} onClick={act}>
      {text}
    </Button>
  );
}
