import type { NavigateOptions } from '@tanstack/react-router';
import { BookOpen, Globe, Keyboard, KeyRound, LogOut, Server, Tag, Waypoints } from 'lucide-react';
import { useState } from 'react';
import { links } from '../../data/links.tsx';
import { useDomainDialogs } from '../../features/domains/useDomainActions.tsx';
import { groupNames } from '../../features/settings/groupNames.ts';
import { openJoinKeyForm, openNodeForm } from '../../features/nodes/useNodeActions.tsx';
import { useExposeLocal } from '../../features/services/useServiceActions.tsx';
import { type Visit, visits } from '../../state/visits.ts';
import { screens } from '../screens.ts';
import { useSignOut, useTheme } from '../themeAndSession.ts';
import { type Found, kinds, matches, useFound } from './objects.ts';
import { type PaletteGroup, type PaletteItem, PaletteList } from './PaletteList.tsx';

type OverviewProps = {
  text: string;
  onTextChange: (text: string) => void;
  /** What became of the last choice; `''`: nothing to say. */
  notice: string;
  onGo: (visit: Visit) => void;
  onActions: (visit: Visit) => void;
  onClose: () => void;
  onHelp: () => void;
  onLeave: (place: NavigateOptions) => void;
};

/** Where the palette begins: what was looked at last, the screens and commands, and what the gateway finds for a text. */
export function Overview({ text, onTextChange, notice, onGo, onActions, onClose, onHelp, onLeave }: OverviewProps) {
  const { groups: found, tagged, state } = useFound(text);
  const commands = useCommands({ onClose, onHelp, onLeave });
  // As it was when the palette was opened, but without what turned out to be gone.
  const [opened] = useState(visits);
  const recent = opened.filter((visit) => visits().some(({ kind, id }) => kind === visit.kind && id === visit.id));

  const wanted = text.trim();
  const itemOf = (object: Found, note?: string): PaletteItem => {
    const { kind, id, name, detail } = object;
    const Icon = kinds[kind].icon;
    return {
      id: `${kind}${id}`,
      label: name,
      detail,
      note,
      icon: <Icon aria-hidden />,
      onChoose: () => onGo(object),
      onActions: () => onActions(object),
    };
  };
  const places = screens.map(({ label, to, icon: Icon, key }): PaletteItem => ({
    id: to,
    label,
    icon: <Icon aria-hidden />,
    keys: ['G', key.toUpperCase()],
    onChoose: () => onLeave({ to }),
  }));
  // There are many, and without a text the list is long enough.
  const settings = Object.values(groupNames)
    .filter(({ label, about }) => wanted !== '' && matches(`Settings ${label} ${about}`, wanted))
    .map(({ id, label, about, icon: Icon }): PaletteItem => ({
      id: `settings/${id}`,
      label,
      detail: about,
      icon: <Icon aria-hidden />,
      onChoose: () => onLeave({ to: '/settings/$group', params: { group: id } }),
    }));
  const own = (items: PaletteItem[]) => items.filter(({ label }) => matches(label, wanted));
  const groups: PaletteGroup[] = [
    { value: 'Recent', items: wanted === '' ? recent.map((visit) => itemOf(visit, kinds[visit.kind].one)) : [] },
    {
      value: 'Go to',
      items: [
        ...tagged.map(({ label, place }) => ({
          id: label,
          label,
          icon: <Tag aria-hidden />,
          onChoose: () => onLeave(place),
        })),
        ...own(places),
      ],
    },
    { value: 'Commands', items: own(commands) },
    ...found.map(({ title, rows, total }) => ({
      value: title,
      hint: total > rows.length ? `${rows.length} of ${total}` : undefined,
      items: rows.map((row) => itemOf(row, title === 'Services' ? kinds[row.kind].one : undefined)),
    })),
    { value: 'Settings', items: settings },
  ];
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <PaletteList
      label="Search or run a command"
      placeholder="Search or run a command"
      text={text}
      onTextChange={onTextChange}
      groups={groups}
      status={notice || statusOf(wanted, state, count)}
    />
  );
}

function statusOf(wanted: string, state: ReturnType<typeof useFound>['state'], count: number): string {
  if (state === 'failed') return 'The search failed: the gateway did not answer. Change the text to try again.';
  if (state === 'searching') return 'Searching…';
  return count === 0 ? `Nothing has “${wanted}” in it.` : '';
}

/** What can be done from every screen. */
function useCommands({ onClose, onHelp, onLeave }: Pick<OverviewProps, 'onClose' | 'onHelp' | 'onLeave'>) {
  const { openForm: openDomainForm } = useDomainDialogs();
  const add = async (openForm: () => Promise<boolean>, place: NavigateOptions) => {
    onClose();
    if (await openForm()) onLeave(place);
  };
  const exposeLocal = useExposeLocal();
  const { chosen, next, icon: ThemeIcon, change } = useTheme();
  const { signOut } = useSignOut();
  const expose = (type: 'http' | 'tcp') => {
    onClose();
    void exposeLocal(type);
  };
  return [
    {
      id: 'add-node',
      label: 'Add Client / Node',
      icon: <Server aria-hidden />,
      onChoose: () => void add(openNodeForm, { to: '/nodes' }),
    },
    {
      id: 'add-domain',
      label: 'Add Domain',
      icon: <Globe aria-hidden />,
      onChoose: () => void add(openDomainForm, { to: '/domains' }),
    },
    {
      id: 'expose-http',
      label: 'Expose HTTP',
      detail: 'A web server of this gateway',
      icon: <Globe aria-hidden />,
      onChoose: () => expose('http'),
    },
    {
      id: 'expose-tcp',
      label: 'Expose TCP',
      detail: 'A port of this gateway',
      icon: <Waypoints aria-hidden />,
      onChoose: () => expose('tcp'),
    },
    {
      id: 'add-join-key',
      label: 'Add Join Key',
      icon: <KeyRound aria-hidden />,
      onChoose() {
        onClose();
        void openJoinKeyForm();
      },
    },
    {
      id: 'theme',
      label: 'Theme',
      detail: `Now ${chosen}. Change to ${next}`,
      icon: <ThemeIcon aria-hidden />,
      onChoose: change,
    },
    {
      id: 'shortcuts',
      label: 'Keyboard Shortcuts',
      icon: <Keyboard aria-hidden />,
      keys: ['?'],
      onChoose() {
        onClose();
        onHelp();
      },
    },
    {
      id: 'documentation',
      label: 'Documentation',
      icon: <BookOpen aria-hidden />,
      onChoose() {
        onClose();
        window.open(links.documentation, '_blank', 'noreferrer');
      },
    },
    {
      id: 'sign-out',
      label: 'Sign out',
      icon: <LogOut aria-hidden />,
      onChoose() {
        onClose();
        signOut();
      },
    },
  ] satisfies PaletteItem[];
}
