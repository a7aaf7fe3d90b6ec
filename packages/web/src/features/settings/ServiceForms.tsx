import {
  certificateAuthorityInput,
  type GatewaySettings,
  identityProviderInput,
  type SettingName,
  type TestedService,
} from '@sallyport/sdk/contract';
import type { ReactNode } from 'react';
import { useWrite } from '../../data/queries.ts';
import { useContractForm } from '../../form/contractForm.ts';
import { TextField } from '../../form/fields.tsx';
import type { FormFrame } from '../../form/FormDialog.tsx';
import { LeaveGuard } from '../../form/LeaveGuard.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { PasswordField } from './PasswordCard.tsx';
import { ServiceTest } from './SettingRows.tsx';
import { settingLabels, useSettings } from './settings.ts';

// The services of others that the gateway depends on. What is saved here counts at once.

/** What someone entered; empty where it is the default. */
const entered = (settings: GatewaySettings | undefined, name: SettingName): string => {
  const found = settings?.settings.find((one) => one.name === name);
  return found?.source === 'stored' ? (found.value ?? '') : '';
};

/** Where visitors sign in. */
export function ProviderForm() {
  const settings = useSettings();
  const change = useWrite('settings.changeProvider', { done: 'Identity provider saved' });
  const { form, frame } = useContractForm({
    schema: identityProviderInput,
    row: settings,
    valuesOf: providerOf,
    save: (body) => change.mutateAsync({ body }),
    done: (saved) => form.reset(providerOf(saved)),
  });
  const { control } = form;
  const isSecretSet = entered(settings, 'SALLYPORT_OIDC_CLIENT_SECRET') !== '';
  return (
    <ServiceForm frame={frame} service="identityProvider">
      <TextField
        control={control}
        name="issuer"
        label={settingLabels.SALLYPORT_OIDC_ISSUER}
        hint="The address that the provider calls itself. Without one, visitors cannot sign in, and services that ask them to are closed."
        placeholder="https://id.example.com/realms/home"
      />
      <TextField
        control={control}
        name="clientId"
        label={settingLabels.SALLYPORT_OIDC_CLIENT_ID}
        placeholder="sallyport"
      />
      <PasswordField
        control={control}
        name="clientSecret"
        label={settingLabels.SALLYPORT_OIDC_CLIENT_SECRET}
        hint={
          isSecretSet
            ? 'One is stored. It stays while this is empty, but for another issuer or client ID it has to be entered.'
            : 'It is stored encrypted, and not shown again.'
        }
        placeholder={isSecretSet ? 'Stored, not shown' : ''}
        autoComplete="off"
        required={false}
      />
    </ServiceForm>
  );
}

const providerOf = (settings: GatewaySettings | undefined) => ({
  issuer: entered(settings, 'SALLYPORT_OIDC_ISSUER'),
  clientId: entered(settings, 'SALLYPORT_OIDC_CLIENT_ID'),
  clientSecret: '',
});

/** Who issues the certificates of domains. */
export function AuthorityForm() {
  const change = useWrite('settings.changeAuthority', { done: 'Certificate authority saved' });
  const { form, frame } = useContractForm({
    schema: certificateAuthorityInput,
    row: useSettings(),
    valuesOf: authorityOf,
    save: (body) => change.mutateAsync({ body }),
    done: (saved) => form.reset(authorityOf(saved)),
  });
  const { control } = form;
  return (
    <ServiceForm frame={frame} service="certificateAuthority">
      <TextField
        control={control}
        name="url"
        label={settingLabels.SALLYPORT_ACME_URL}
        hint="Its ACME directory; Let's Encrypt while this is empty. With another one, domains get new certificates at once."
        placeholder="https://acme.example.com/directory"
      />
      <TextField
        control={control}
        name="email"
        label={settingLabels.SALLYPORT_ACME_EMAIL}
        hint="Where the authority writes to, if it does."
        placeholder="you@example.com"
      />
    </ServiceForm>
  );
}

const authorityOf = (settings: GatewaySettings | undefined) => ({
  url: entered(settings, 'SALLYPORT_ACME_URL'),
  email: entered(settings, 'SALLYPORT_ACME_EMAIL'),
});

type ServiceFormProps = { frame: FormFrame; service: TestedService; children: ReactNode };

function ServiceForm({ frame, service, children }: ServiceFormProps) {
  return (
    <form noValidate className="flex max-w-120 flex-col gap-4" onSubmit={frame.onSubmit}>
      <LeaveGuard isChanged={frame.isChanged} />
      {frame.problem === undefined ? null : <Alert type="error">{frame.problem}</Alert>}
      {children}
      <ServiceTest service={service}>
        <Button type="submit" variant="info" loading={frame.busy}>
          Save
        </Button>
      </ServiceTest>
    </form>
  );
}
