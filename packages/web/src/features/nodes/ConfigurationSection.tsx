import { Download, QrCode as QrIcon } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/controls/Button.tsx';
import { lazyPart } from '../../ui/overlays/lazyPart.tsx';
import { PartFailed } from '../../ui/overlays/PartFailed.tsx';
import { useConfiguration } from './useConfiguration.ts';

const QrCode = lazyPart(
  async () => (await import('../../ui/layout/QrCode.tsx')).QrCode,
  ({ retry }) => <PartFailed what="The QR code" onRetry={retry} />,
);

/** The way to join without the command line: WireGuard's own configuration, as a file or for a camera. */
export function ConfigurationSection({ node }: { node: { id: number; name: string } }) {
  const { busy, save, read } = useConfiguration();
  const [text, setText] = useState<string | null>(null);
  const toggle = async () => setText(text === null ? await read(node.id) : null);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={<Download size={14} aria-hidden />} disabled={busy} onClick={() => void save(node.id)}>
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
      </div>
      {text === null ? null : <QrCode text={text} label={`Configuration of ${node.name}`} />}
    </div>
  );
}
