import { toasts } from '../state/toasts.ts';
import { useConnection } from './connection.ts';
import { type InputNamed, useWrite } from './queries.ts';

type Switched = 'node' | 'httpService' | 'tcpService';
type Verb = 'enable' | 'disable';
/** A call that enables or disables something. */
export type SwitchCall = `${Switched}.${Verb}`;

/** What is enabled or disabled, as it was on the screen. */
type SwitchedRow = { id: number; name: string; version: number; enabled: boolean; expiresAt?: string | null };

/** What was enabled or disabled. */
export type Switch = {
  group: Switched;
  verb: Verb;
  /** What is told after each of the two. */
  done: Record<Verb, string>;
  row: SwitchedRow;
  params: InputNamed<SwitchCall>['params'];
  /** The version that the call left. */
  version: number;
};

/** Enables and disables what is of a group, and tells that it was done, with a way to take it back. */
export function useSwitch(group: Switched, done: Record<Verb, string>) {
  const connection = useConnection();
  const calls = { enable: useWrite(`${group}.enable`), disable: useWrite(`${group}.disable`) };
  return async (
    verb: Verb,
    row: SwitchedRow,
    params: InputNamed<SwitchCall>['params'],
    ifMatch: number | null,
  ): Promise<void> => {
    const { version } = await calls[verb].mutateAsync({ params, ifMatch });
    import('./undo.tsx')
      .then(({ tellSwitched }) => tellSwitched(connection, { group, verb, done, row, params, version }))
      .catch(() => toasts.show(done[verb], 'success'));
  };
}
