import { Plus, Terminal } from 'lucide-react';
import { Alert } from '../src/ui/Alert.tsx';
import { Badge } from '../src/ui/Badge.tsx';
import { Button } from '../src/ui/Button.tsx';
import { buttonClass, type ButtonSize, type ButtonVariant } from '../src/ui/buttonClass.ts';
import { Card } from '../src/ui/Card.tsx';
import { Command } from '../src/ui/Command.tsx';
import { CopyButton } from '../src/ui/CopyButton.tsx';
import { EnabledDot } from '../src/ui/EnabledDot.tsx';
import { IconButton } from '../src/ui/IconButton.tsx';
import { Mark } from '../src/ui/Mark.tsx';
import { PageHeader } from '../src/ui/PageHeader.tsx';
import { Skeleton } from '../src/ui/Skeleton.tsx';
import { Spinner } from '../src/ui/Spinner.tsx';
import { StatusDot } from '../src/ui/StatusDot.tsx';

const VARIANTS: ButtonVariant[] = ['default', 'black', 'info', 'danger', 'success', 'warning'];
const SIZES: ButtonSize[] = ['xs', 'sm', 'default', 'lg'];

export function ControlsDemo() {
  return (
    <>
      <PageHeader title="Controls" description="Buttons, badges, dots and messages." />
      <Card title="Buttons">
        <div className="flex flex-col gap-3">
          {SIZES.map((size) => (
            <div key={size} className="flex flex-wrap items-center gap-2">
              {VARIANTS.map((variant) => (
                <Button key={variant} variant={variant} size={size}>
                  {variant}
                </Button>
              ))}
            </div>
          ))}
          <div className="flex flex-wrap items-center gap-2">
            <Button variant="info" icon={<Plus size={16} aria-hidden />}>
              Add Client
            </Button>
            <Button variant="info" loading>
              Save
            </Button>
            <Button loading>Save</Button>
            <Button disabled>Disabled</Button>
            <Button variant="info" disabled>
              Disabled
            </Button>
            <Button size="icon" aria-label="Terminal">
              <Terminal size={18} aria-hidden />
            </Button>
            <a href="#controls" className={buttonClass({ variant: 'black' })}>
              Back To Home
            </a>
            <IconButton label="Quiet" icon={<Terminal size={18} aria-hidden />} />
            <CopyButton text="x" label="Copy" />
          </div>
        </div>
      </Card>
      <div className="grid gap-4 md:grid-cols-2">
        <Card title="States">
          <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
            <StatusDot status="online" showLabel />
            <StatusDot status="idle" showLabel />
            <StatusDot status="offline" showLabel />
            <span className="inline-flex items-center gap-2">
              <EnabledDot enabled /> enabled
            </span>
            <span className="inline-flex items-center gap-2">
              <EnabledDot enabled={false} /> disabled
            </span>
            <Badge>Local</Badge>
            <Badge tone="accent">Gateway</Badge>
            <Badge tone="success">Active</Badge>
            <Badge tone="warning">Expired</Badge>
            <Badge tone="danger">Revoked</Badge>
            <Spinner label="Loading" />
          </div>
          <div className="mt-4 flex flex-col gap-2">
            <Skeleton className="h-4 w-2/3" />
            <Skeleton className="h-4 w-1/2" />
          </div>
        </Card>
        <Card title="Mark">
          <div className="flex items-end gap-5">
            <Mark size={16} />
            <Mark size={28} />
            <Mark size={56} />
            <Mark size={112} label="Sallyport" />
          </div>
        </Card>
      </div>
      <Card title="Messages">
        <div className="flex flex-col gap-2">
          <Alert onClose={() => undefined}>A node dials out to this gateway.</Alert>
          <Alert type="success">Service exposed successfully!</Alert>
          <Alert type="warning" title="The tunnel is off">
            Services of remote nodes answer 503 until WireGuard is installed.
          </Alert>
          <Alert type="error" onClose={() => undefined}>
            Invalid Credentials
          </Alert>
          <Command label="Join command" text="sallyport connect --url=https://gateway.example.test:9443" />
          <p>
            See the{' '}
            <a href="#controls" className="link">
              documentation
            </a>{' '}
            for more.
          </p>
        </div>
      </Card>
    </>
  );
}
