import { AddressText } from '../../ui/layout/AddressText.tsx';
import { classes } from '../../ui/layout/classes.ts';
import { CopyButton } from '../../ui/controls/CopyButton.tsx';
import { OutsideLink } from '../../ui/controls/OutsideLink.tsx';
import type { Service } from './serviceKinds.ts';
import { logFailure } from '../../state/logFailure.ts';

type PublicAddressProps = {
  service: Service;
  /** A button to copy it, which the address of a port has in any case: no browser opens that one. */
  copy?: boolean | undefined;
};

/** Where visitors reach a service; fainter while it is closed. */
export function PublicAddress({ service, copy = false }: PublicAddressProps) {
  const { publicAccess, enabled } = service;
  const isPort = 'proto' in service;
  return (
    <span className={classes('inline-flex min-w-0 items-center gap-1', !enabled && 'text-muted')}>
      {isPort ? (
        <span className="min-w-0 wrap-anywhere">
          <AddressText>{publicAccess}</AddressText>
        </span>
      ) : (
        <OutsideLink
          to={publicAccess}
          className={classes('min-w-0 wrap-anywhere', enabled ? 'link' : 'hover:underline')}
        >
          <AddressText>{publicAccess}</AddressText>
        </OutsideLink>
      )}
      {isPort || copy ? (
        // No higher than the line that it stands on.
        <span className="-my-1">
          <CopyButton text={publicAccess} label={`Copy the public address of ${service.name}`} onError={logFailure} />
        </span>
      ) : null}
    </span>
  );
}
