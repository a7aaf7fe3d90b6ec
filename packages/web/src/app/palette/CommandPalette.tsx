import { groupKey } from '@sallyport/sdk';
import { Dialog } from '@base-ui/react/dialog';
import { useQueryClient } from '@tanstack/react-query';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useConnection } from '../../data/connection.ts';
import { forgetVisit, noteVisit, type Visit } from '../../state/visits.ts';
import { isPaletteKey } from '../shortcuts.ts';
import { ObjectActions } from './ObjectActions.tsx';
import { kinds, placeOf, readStored, type Stored, visitOf } from './objects.ts';
import { Overview } from './Overview.tsx';

type CommandPaletteProps = {
  onClose: () => void;
  /** Lists the shortcuts. */
  onHelp: () => void;
};

/** Goes to every screen and every object, and runs every action of an object's menu. */
export function CommandPalette({ onClose, onHelp }: CommandPaletteProps) {
  const { client, fail } = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [subject, setSubject] = useState<Stored | null>(null);
  const [notice, setNotice] = useState('');
  // What was asked for last. An answer that comes after the next key, or after the palette is closed, is dropped.
  const turn = useRef(0);
  useEffect(() => () => void (turn.current += 1), []);
  const left = useRef(false);
  // Before the field takes the focus.
  const [opener] = useState(() => document.activeElement);

  const leaveFor = (place: NavigateOptions) => {
    left.current = true;
    onClose();
    void navigate(place);
  };
  const change = (next: string) => {
    turn.current += 1;
    setNotice('');
    setText(next);
  };
  /** Reads an object as it is now and goes on with it, or says that it is not there any more. */
  const withStored = async (visit: Visit, goOn: (stored: Stored) => void) => {
    const own = (turn.current += 1);
    try {
      const stored = await readStored(client, visit);
      if (own !== turn.current) return;
      if (stored) {
        noteVisit(visitOf(stored));
        goOn(stored);
        return;
      }
      forgetVisit(visit);
      setNotice(`${visit.name} was deleted meanwhile.`);
      await queries.invalidateQueries({ queryKey: groupKey(kinds[visit.kind].list) });
    } catch (error) {
      fail(error, { tell: true });
    }
  };
  const back = () => setSubject(null);

  return (
    <Dialog.Root
      open
      onOpenChange={(_open, { reason }) => {
        if (reason === 'escape-key' && subject) back();
        else onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-(--z-dialog) animate-fade bg-veil" />
        <Dialog.Viewport className="fixed inset-0 z-(--z-dialog) flex items-start justify-center p-2 sm:p-6 sm:pt-[12vh]">
          <Dialog.Popup
            data-popup
            aria-label="Search or run a command"
            finalFocus={() => {
              // Where it was, unless that is on the screen that was left.
              const next = left.current ? document.getElementById('main') : opener;
              if (next instanceof HTMLElement) next.focus();
              return false;
            }}
            onKeyDown={(event) => {
              if (!isPaletteKey(event.nativeEvent)) return;
              event.preventDefault();
              onClose();
            }}
            className="flex max-h-[min(34rem,100%)] w-full max-w-dialog-medium min-w-0 animate-rise flex-col overflow-hidden rounded-lg bg-raised shadow-dialog outline-none"
          >
            {subject ? (
              <ObjectActions subject={subject} onBack={back} onClose={onClose} onLeave={leaveFor} />
            ) : (
              <Overview
                text={text}
                onTextChange={change}
                notice={notice}
                onGo={(visit) => void withStored(visit, (stored) => leaveFor(placeOf(stored)))}
                onActions={(visit) => void withStored(visit, setSubject)}
                onClose={onClose}
                onHelp={onHelp}
                onLeave={leaveFor}
              />
            )}
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
