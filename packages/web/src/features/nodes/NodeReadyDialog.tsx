import { Link } from '@tanstack/react-router';
import { ChevronRight, Download, QrCode as QrIcon } from 'lucide-react';
import { type ReactNode, use, useState } from 'react';
import { useUnavailable } from '../../data/gateway.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Command } from '../../ui/controls/Command.tsx';
import { Copied, ReadonlyField } from '../../ui/controls/ReadonlyField.tsx';
import { NeededNoMore, OnceDialog } from '../../ui/overlays/OnceDialog.tsx';
import { lazyPart, PartFailed } from '../../ui/overlays/lazyPart.tsx';
import { useConfiguration } from './configuration.ts';
import { JoinLine, NowhereAlert, TunnelOffAlert, useWays } from './joining.tsx';
import { useLiveNode } from './nodeState.tsx';

type NodeReadyDialogProps = {
  node: { id: number; name: string; token: string; allowInternet: boolean };
  onClose: () => void;
};

/**
 * Shows the ways in which a new node joins, each with what it asks for; among that its token, this only time. One is
 * unfolded, so that what it needs is in view on a phone as well.
 */
export function NodeReadyDialog({ node, onClose }: NodeReadyDialogProps) {
  const tunnelOff = useUnavailable('tunnel') !== null;
  const ways = useWays(node);
  const leads = !tunnelOff && ways !== undefined;
  return (
    <OnceDialog
      what="token"
      onClose={onClose}
      title="Your Node is Ready"
      description={
        leads && (ways.command !== null || ways.configuration) ? (
          <>
            Connect the host of <strong>{node.name}</strong>. Each way needs what is shown with it, and nothing else.
          </>
        ) : (
          <>
            Keep the token until the host of <strong>{node.name}</strong> can connect.
          </>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Connected node={node} />
        {tunnelOff ? <TunnelOffAlert /> : null}
        {leads ? <NowhereAlert ways={ways} /> : null}
        {/* The tunnel may be on by the time that the host runs it. */}
        {ways !== undefined && ways.command !== null ? (
          <Way title="With the command line" isFirst>
            <p className="text-sm text-muted">
              For a host that has the command. It asks for the token. As root on a machine without sudo, leave sudo out.
            </p>
            <Command label="Join command" text={ways.command} />
            <Token value={node.token} hint={tunnelOff ? '' : 'Only this way needs it. '} />
          </Way>
        ) : (
          <Token value={node.token} />
        )}
        {leads && ways.line ? (
          <Way title="With one line">
            <p className="text-sm text-muted">For a host that has not got the command yet.</p>
            <JoinLine node={node} />
          </Way>
        ) : null}
        {/* Without a tunnel there is nothing to configure. */}
        {leads && ways.configuration ? (
          <Way title="With WireGuard" isFirst={ways.command === null}>
            <p className="text-sm text-muted">
              With WireGuard only (a phone, for instance), use the configuration. It holds the node's private key: keep
              it as safe as the token.
            </p>
            <ConfigurationSection node={node} />
          </Way>
        ) : null}
      </div>
    </OnceDialog>
  );
}

/** What the dialog asks to be kept. */
const Token = ({ value, hint = '' }: { value: string; hint?: string }) => (
  <ReadonlyField
    label="Token"
    value={value}
    copyLabel="Copy the token"
    isMain
    hint={`${hint}The token is only visible once. Make sure to store it securely.`}
  />
);

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

type WayProps = {
  title: string;
  /** It is open from the start. */
  isFirst?: boolean;
  children: ReactNode;
};

/** A way to join. To unfold one folds the others. */
const Way = ({ title, isFirst = false, children }: WayProps) => (
  <details name="way-to-join" open={isFirst} className="group">
    <summary className="-mx-1 flex cursor-pointer list-none items-center gap-1 rounded-xs px-1 py-1 hover:bg-hover [&::-webkit-details-marker]:hidden">
      <ChevronRight size={16} aria-hidden className="shrink-0 text-muted transition-transform group-open:rotate-90" />
      <h3 className="font-semibold">{title}</h3>
    </summary>
    <div className="mt-2 flex flex-col gap-3">{children}</div>
  </details>
);

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
