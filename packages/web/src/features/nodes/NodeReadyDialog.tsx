import { Link } from '@tanstack/react-router';
import { Download, QrCode as QrIcon } from 'lucide-react';
import { type ReactNode, use, useState } from 'react';
import { useUnavailable } from '../../data/gateway.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Copied, ReadonlyField } from '../../ui/controls/CopyButton.tsx';
import { NeededNoMore, OnceDialog } from '../../ui/overlays/OnceDialog.tsx';
import { lazyPart, PartFailed } from '../../ui/overlays/lazyPart.tsx';
import { JoinCommand, JoinLine, PublicNameAlert, TunnelOffAlert, useConfiguration } from './joining.tsx';
import { useLiveNode } from './nodeState.tsx';

type NodeReadyDialogProps = {
  node: { id: number; name: string; token: string; allowInternet: boolean };
  onClose: () => void;
};

/** Shows the ways in which a new node joins, each with what it asks for; among that its token, this only time. */
export function NodeReadyDialog({ node, onClose }: NodeReadyDialogProps) {
  const tunnelOff = useUnavailable('tunnel');
  return (
    <OnceDialog
      what="token"
      onClose={onClose}
      title="Your Node is Ready"
      description={
        tunnelOff ? (
          <>
            Keep the token until the host of <strong>{node.name}</strong> can connect.
          </>
        ) : (
          <>
            Connect the host of <strong>{node.name}</strong> in one of three ways. Each needs what is shown with it, and
            nothing else.
          </>
        )
      }
    >
      <div className="flex flex-col gap-5">
        <Connected node={node} />
        {tunnelOff ? <TunnelOffAlert /> : <PublicNameAlert />}
        {tunnelOff ? null : (
          <Way title="With one line" text="For a host that has not got the command yet.">
            <JoinLine node={node} />
          </Way>
        )}
        <Way title="With the command line">
          <JoinCommand node={node}>
            <p className="-mt-2.5 text-sm text-muted">
              For a host that has the command. It asks for the token. As root on a machine without sudo, leave sudo out.
            </p>
          </JoinCommand>
          <ReadonlyField
            label="Token"
            value={node.token}
            copyLabel="Copy the token"
            hint={`${tunnelOff ? '' : 'Only this way needs it. '}The token is only visible once. Make sure to store it securely.`}
          />
        </Way>
        {/* Without a tunnel there is nothing to configure. */}
        {tunnelOff ? null : (
          <Way
            title="With WireGuard"
            text="With WireGuard only (a phone, for instance), use the configuration. It holds the node's private key: keep it as safe as the token."
          >
            <ConfigurationSection node={node} />
          </Way>
        )}
      </div>
    </OnceDialog>
  );
}

/** Says that the host has joined, and what is next. */
function Connected({ node: { id, name } }: { node: { id: number; name: string } }) {
  const { node } = useLiveNode(id);
  const isConnected = node !== undefined && node.latestHandshakeTimestamp !== null;
  return (
    <NeededNoMore title={isConnected ? `${name} is connected` : null}>
      Publish a service of it on{' '}
      <Link to="/nodes/$id" params={{ id: String(id) }} className="link">
        its page
      </Link>
      .
    </NeededNoMore>
  );
}

function Way({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-3">
      <div className="flex flex-col gap-0.5">
        <h3 className="font-semibold">{title}</h3>
        {text ? <p className="text-sm text-muted">{text}</p> : null}
      </div>
      {children}
    </section>
  );
}

const QrCode = lazyPart(
  async () => (await import('../../ui/layout/QrCode.tsx')).QrCode,
  ({ retry }) => <PartFailed what="The QR code" onRetry={retry} />,
);

/** The way to join without the command line: WireGuard's own configuration, as a file or for a camera. */
function ConfigurationSection({ node }: { node: { id: number; name: string } }) {
  const { busy, save, read } = useConfiguration();
  const [text, setText] = useState<string | null>(null);
  const [large, setLarge] = useState(false);
  const kept = use(Copied);
  const toggle = async () => {
    const next = text === null ? await read(node.id) : null;
    if (next !== null) kept();
    setText(next);
  };
  const download = async () => {
    if (await save(node.id)) kept();
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={<Download size={14} aria-hidden />} disabled={busy} onClick={() => void download()}>
          Download Configuration
        </Button>
        <Button
          size="sm"
          icon={<QrIcon size={14} aria-hidden />}
          disabled={busy}
          aria-expanded={text !== null}
          onClick={() => void toggle()}
        >
          {text === null ? 'Show QR Code' : 'Hide QR Code'}
        </Button>
        {text === null ? null : (
          <Button size="sm" aria-pressed={large} onClick={() => setLarge(!large)}>
            Enlarge
          </Button>
        )}
      </div>
      {text === null ? null : <QrCode text={text} label={`Configuration of ${node.name}`} large={large} />}
    </div>
  );
}
