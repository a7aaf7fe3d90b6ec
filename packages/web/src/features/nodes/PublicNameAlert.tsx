import { useOff } from '../../data/useOff.ts';
import { Alert } from '../../ui/layout/Alert.tsx';

/** Says, where a host's configuration is shown, that it leads nowhere from another machine; nothing while all is well. */
export function PublicNameAlert() {
  const text = useOff('public name');
  if (text === null) return null;
  return (
    <Alert type="warning" title="The host may not find this gateway">
      {text}
    </Alert>
  );
}
