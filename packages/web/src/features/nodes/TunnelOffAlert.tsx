import type { OffPart } from '@sallyport/sdk/contract';
import { links } from '../../data/links.ts';
import { Alert } from '../../ui/layout/Alert.tsx';
import { OutsideLink } from '../../ui/controls/OutsideLink.tsx';

/** Says that this gateway has no tunnel now, why, and what turns it on. */
export function TunnelOffAlert({ off: { reason, remedy } }: { off: OffPart }) {
  return (
    <Alert type="warning" title="The host cannot connect: the tunnel is off">
      {`${reason} ${remedy} `}
      <OutsideLink to={`${links.operating}#the-tunnel`} className="link">
        What the tunnel needs
      </OutsideLink>
    </Alert>
  );
}
