import type { Setting, SettingName, TestedService } from '@sallyport/sdk/contract';
import { CircleCheck, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { links, OutsideLink } from '../../data/links.tsx';
import { useWrite } from '../../data/queries.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Command } from '../../ui/controls/Command.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { settingLabels, useSettings, withinSettings } from './settings.ts';

type SettingsCardProps = {
  title: string;
  description?: ReactNode;
  names: readonly SettingName[];
  /** What the gateway's environment would say, to copy. */
  example?: string;
  /** Changes and tries them, where the environment says none of them. */
  form?: ReactNode;
  /** Tries them where they cannot be changed here. */
  children?: ReactNode;
};

/** Settings with their values and sources, and where they are changed. */
export function SettingsCard({ title, description, names, example, form, children }: SettingsCardProps) {
  const settings = useSettings()?.settings;
  const isChangeable = settings?.filter(({ name }) => names.includes(name)).every(({ changeable }) => changeable);
  if (form !== undefined && isChangeable !== false)
    return (
      <Card title={title} description={description}>
        <div className="flex flex-col gap-4">{settings === undefined ? null : form}</div>
      </Card>
    );
  return (
    <Card title={title} description={description}>
      <div className="flex flex-col gap-4">
        <dl className="flex flex-col divide-y divide-line border-y border-line">
          {names.map((name) => (
            <SettingRow key={name} name={name} setting={settings?.find((one) => one.name === name)} />
          ))}
        </dl>
        {children}
        <HowToChange title={title} example={example} />
      </div>
    </Card>
  );
}

function SettingRow({ name, setting }: { name: SettingName; setting: Setting | undefined }) {
  return (
    <div className="grid min-h-11 items-center gap-x-4 gap-y-0.5 py-2 @md:grid-cols-2">
      <dt className="min-w-0">
        <span className="block text-sm font-medium">{settingLabels[name]}</span>
        <span className="block font-mono text-xs wrap-anywhere text-muted">{name}</span>
      </dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        {setting === undefined ? null : (
          <>
            {setting.value === null ? (
              <span className="text-sm text-muted">Not set</span>
            ) : (
              <>
                <span className="min-w-0 font-mono text-sm wrap-anywhere">{valueOf(setting)}</span>
                <Source source={setting.source} />
              </>
            )}
          </>
        )}
      </dd>
    </div>
  );
}

const valueOf = ({ name, value }: Setting) => (name === 'SALLYPORT_OIDC_CLIENT_SECRET' ? 'Set, not shown' : value);

/** Who decided on a value. What the environment says can be changed only there. */
function Source({ source }: Pick<Setting, 'source'>) {
  if (source === 'environment') return <Badge icon={<Lock aria-hidden />}>Set by the environment</Badge>;
  return <span className="text-xs text-muted">{source === 'stored' ? 'Stored' : 'Default'}</span>;
}

const CHANGE = 'sudoedit /etc/sallyport/gateway.env && sudo systemctl reload sallyport-gateway';

/** They are read once at the start, so they are changed where the gateway is started. */
function HowToChange({ title, example }: { title: string; example: string | undefined }) {
  return (
    <details className="group">
      <summary className="w-fit rounded-xs text-sm font-medium text-accent-ink hover:underline">How to change</summary>
      <div className="mt-2 flex flex-col gap-2 text-sm">
        <p>
          The gateway reads them at its start. With the Debian package, this edits them and starts it again, which
          visitors do not notice; elsewhere they are environment variables.{' '}
          <OutsideLink to={`${links.operating}#settings`} className="link">
            What each one means
          </OutsideLink>
        </p>
        {example === undefined ? null : <Command label={`Lines of the file: ${title}`} text={example} />}
        <Command label={`Command that changes them: ${title}`} text={CHANGE} />
      </div>
    </details>
  );
}

type ServiceTestProps = {
  service: TestedService;
  /** Next to it: the button that saves what is tried. */
  children?: ReactNode;
};

const TEST_LABELS: Record<TestedService, string> = {
  identityProvider: 'Test the provider',
  certificateAuthority: 'Test the authority',
};

/** Tries a service of others that the gateway depends on, at its configured address, and tells what came of it. */
export function ServiceTest({ service, children }: ServiceTestProps) {
  const test = useWrite('settings.test');
  const signIn = useSettings()?.features.find(({ feature }) => feature === 'visitorSignIn');
  const isNotSetUp = service === 'identityProvider' && signIn?.state === 'off';
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap gap-2">
        {children}
        <Button loading={test.isPending} onClick={() => test.mutate({ body: { service } })}>
          {TEST_LABELS[service]}
        </Button>
      </div>
      <output className="block w-full">
        {test.isPending || test.data === undefined ? null : test.data.works ? (
          <span className="flex items-start gap-2 text-sm">
            <CircleCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-success-ink" />
            <span className="min-w-0 wrap-anywhere">{test.data.text}</span>
          </span>
        ) : (
          <Alert type={isNotSetUp ? 'info' : 'warning'} title={isNotSetUp ? 'Not set up' : 'It does not work'}>
            {withinSettings(test.data.text)}
          </Alert>
        )}
      </output>
    </div>
  );
}
