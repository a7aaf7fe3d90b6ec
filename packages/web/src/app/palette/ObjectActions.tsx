import type { Domain, Node } from '@sallyport/sdk/contract';
import type { NavigateOptions } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { useDomainActions, useDomainDialogs } from '../../features/domains/useDomainActions.tsx';
import { useNodeActions } from '../../features/nodes/useNodeActions.tsx';
import type { Service } from '../../features/services/services.ts';
import { useServiceActions } from '../../features/services/useServiceActions.tsx';
import type { MenuAction } from '../../ui/overlays/MenuPopup.tsx';
import { matches, placeOf, type Stored, visitOf } from './objects.ts';
import { type PaletteItem, PaletteList } from './PaletteList.tsx';

type ObjectActionsProps = {
  subject: Stored;
  onBack: () => void;
  onClose: () => void;
  onLeave: (place: NavigateOptions) => void;
};

/** What can be done with one object: the entries of its row's menu. */
export function ObjectActions({ subject, ...rest }: ObjectActionsProps) {
  if (subject.kind === 'node') return <OfNode node={subject.node} subject={subject} {...rest} />;
  if (subject.kind === 'domain') return <OfDomain domain={subject.domain} subject={subject} {...rest} />;
  return <OfService service={subject.service} node={subject.node} subject={subject} kind={subject.kind} {...rest} />;
}

// The menu of a node begins with the way to its page.
function OfNode({ node, ...rest }: ObjectActionsProps & { node: Node }) {
  return <Actions actions={useNodeActions().row(node)} {...rest} />;
}

function OfDomain({ domain, ...rest }: ObjectActionsProps & { domain: Domain }) {
  const actions = useDomainActions(useDomainDialogs());
  return <Actions place="Show in Domain Names" actions={actions(domain)} {...rest} />;
}

type OfServiceProps = ObjectActionsProps & { service: Service; node: Node; kind: 'http' | 'tcp' };

function OfService({ service, node, kind, ...rest }: OfServiceProps) {
  return <Actions place="Show its page" actions={useServiceActions(kind, node)(service)} {...rest} />;
}

type ActionsProps = ObjectActionsProps & {
  actions: readonly MenuAction[];
  /** What the way to the object is called; left out where it is among the actions. */
  place?: string;
};

function Actions({ subject, actions, place, onBack, onClose, onLeave }: ActionsProps) {
  const [text, setText] = useState('');
  const { name } = visitOf(subject);
  const run = ({ link, href, onSelect }: MenuAction) => {
    if (link) {
      onLeave(link.props as NavigateOptions);
      return;
    }
    onClose();
    if (href) window.open(href, '_blank', 'noreferrer');
    else onSelect?.();
  };
  const items: PaletteItem[] = actions.map((action) => ({ ...action, id: action.label, onChoose: () => run(action) }));
  if (place !== undefined) {
    items.unshift({
      id: place,
      label: place,
      icon: <ArrowRight aria-hidden />,
      onChoose: () => onLeave(placeOf(subject)),
    });
  }
  const shown = items.filter(({ label }) => matches(label, text.trim()));
  return (
    <PaletteList
      label={`Actions of ${name}`}
      placeholder="Choose an action"
      text={text}
      onTextChange={setText}
      groups={[{ value: 'Actions', items: shown }]}
      status={shown.length === 0 ? `No action has “${text.trim()}” in it.` : ''}
      subject={
        <span className="max-w-1/2 shrink-0 truncate rounded-xs bg-sunken px-2 py-0.5 text-sm font-medium">
          <bdi>{name}</bdi>
        </span>
      }
      onBack={onBack}
    />
  );
}
