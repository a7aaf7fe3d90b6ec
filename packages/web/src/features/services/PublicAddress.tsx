import { AddressText } from '../../ui/AddressText.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { OutsideLink } from '../../ui/OutsideLink.tsx';
import type { Service } from './serviceKinds.ts';

type PublicAddressProps = {
  service: Service;
  /** A button to copy it, which the address of a port has in any case: no browser opens that one. */
  copy?: boolean | undefined;
};

/** Where visitors reach a service. */
export function PublicAddress({ service, copy = false }: PublicAddressProps) {
  const { publicAccess } = service;
  const isPort = 'proto' in service;
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      {isPort ? (
        <span className="min-w-0 wrap-anywhere">
          <AddressText>{publicAccess}</AddressText>
        </span>
      ) : (
        <OutsideLink to={publicAccess} className="link min-w-0 wrap-anywhere">
          <AddressText>{publicAccess}</AddressText>
        </OutsideLink>
      )}
      {isPort || copy ? (
        <CopyButton
          text={publicAccess}
          label={`Copy the public address of ${service.name}`}
          onError={(error) => globalThis.reportError(error)}
        />
      ) : null}
    </span>
  );
}
