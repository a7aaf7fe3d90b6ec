import { type Domain, domainAttributes, domainDefaults, domainInput, message, sslKinds } from '@sallyport/sdk/contract';
import { dnsRecordTo, isBareHost } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useFormState, useWatch } from 'react-hook-form';
import { useConnection } from '../../data/connection.ts';
import { DnsRecords } from '../../data/domainDns.tsx';
import { sslName, useUnavailable, useUnavailableText } from '../../data/gateway.ts';
import { useShowNew } from '../../data/newRow.ts';
import { NodesField } from '../../data/NodesField.tsx';
import { invoke, useRead, useWrite } from '../../data/queries.ts';
import { formValues, useContractForm } from '../../form/contractForm.ts';
import { CheckboxField, ListField, SelectField, TextField } from '../../form/fields.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { NoteFields } from '../../form/NoteFields.tsx';
import { Button } from '../../ui/controls/Button.tsx';

const SSL_OPTIONS = sslKinds.map((value) => ({ value, label: sslName[value] }));

type DomainFormDialogProps = { domain?: Domain | undefined; onClose: (saved?: Domain) => void };

/** Adds a domain, or changes one; its name stays. */
export function DomainFormDialog({ domain, onClose }: DomainFormDialogProps) {
  const { client } = useConnection();
  const showNew = useShowNew();
  const create = useWrite('domain.create', { done: 'Domain created successfully!' });
  const update = useWrite('domain.update', { done: 'Domain updated successfully!' });
  const { form, frame } = useContractForm({
    schema: domainInput,
    row: domain,
    valuesOf: (row) => formValues(domainAttributes, row ?? domainDefaults),
    read: ({ id }) => invoke(client, 'domain.get', { params: { id } }),
    hidden: (values) => (values.authentication ? {} : { allowedEmails: [] }),
    save: async (body, row) =>
      row
        ? await update.mutateAsync({ params: { id: row.id }, body, ifMatch: row.version })
        : await create.mutateAsync({ body }),
    done(saved) {
      const { id, domain: name } = saved;
      const link = <Link to="/domains" search={{ search: name }} />;
      if (!domain) showNew({ name, lists: { Domains: id }, link });
      onClose(saved);
    },
  });
  const { control, setValue, clearErrors } = form;
  const [name, skipValidation, authentication] = useWatch({
    control,
    name: ['domain', 'skipValidation', 'authentication'],
  });
  const { errors } = useFormState({ control });
  const issuerOff = useUnavailableText('letsEncrypt');
  const signInOff = useUnavailableText('visitorSignIn');
  const skip = (chosen: boolean) => {
    if (!chosen) return;
    setValue('ssl', 'self-signed');
    clearErrors('domain');
  };

  return (
    <FormDialog {...frame} onClose={() => onClose()} title="Domain & SSL Settings">
      <TextField
        control={control}
        name="domain"
        label="Domain"
        required
        mono
        placeholder="app.example.com"
        disabled={domain !== undefined}
      />
      {errors.domain?.message?.startsWith(message.domainElsewhere) ? (
        <RecordToEnter domain={domain?.domain ?? name} busy={frame.busy} />
      ) : null}
      {errors.domain || skipValidation || domain?.skipValidation ? (
        <CheckboxField
          control={control}
          name="skipValidation"
          label="Skip Domain Validation"
          hint="The name is not checked, and the certificate is self-signed."
          onChosen={skip}
        />
      ) : null}
      <SelectField
        control={control}
        name="ssl"
        label="SSL"
        options={SSL_OPTIONS}
        disabled={skipValidation}
        hint={issuerOff ? `Let's Encrypt is off on this gateway: ${issuerOff}` : undefined}
      />
      <CheckboxField
        control={control}
        name="hsts"
        label="HTTPS only (HSTS)"
        hint="Browsers that have visited the domain use HTTPS only from then on, for one day at first. Sent only while the certificate is trusted."
      />
      <CheckboxField
        control={control}
        name="authentication"
        asSwitch
        label="Enable OAuth2 authentication"
        hint={
          signInOff ? `Off on this gateway: ${signInOff}` : 'Services of this domain may ask their visitors to sign in.'
        }
        onChosen={(chosen) => setValue('allowedEmails', chosen ? [''] : [])}
      />
      {authentication ? (
        <ListField
          control={control}
          name="allowedEmails"
          label="Allowed e-mails"
          hint="Only these visitors get in; everybody who can sign in when there are none."
          rowLabel="Allowed e-mail"
          addLabel="Add E-mail"
          type="email"
          placeholder="name@example.com"
        />
      ) : null}
      <CheckboxField
        control={control}
        name="reserved"
        label="Reserved for administrators"
        hint="Only access tokens of the nodes below may use the domain. Otherwise, it belongs to the node whose services are the only ones there."
      />
      <NodesField
        control={control}
        name="allowedNodes"
        label="Nodes that may use it"
        addLabel="Allow a node"
        hint="With their access tokens these nodes may publish services under this domain, on every path that no other service has."
      />
      <NoteFields control={control} />
    </FormDialog>
  );
}

/** What makes a name lead here that was refused because it does not. Saving asks again. */
function RecordToEnter({ domain, busy }: { domain: string; busy: boolean }) {
  const { data } = useRead('system.config', {});
  const nameless = useUnavailable('publicName');
  const host = data?.VPN_HOST ?? '';
  // A bare name is one of its own network.
  const isPublic = nameless === null && host !== '' && !isBareHost(host);
  return (
    <div className="flex flex-col items-start gap-2">
      <DnsRecords records={isPublic ? [dnsRecordTo(domain.trim().toLowerCase(), host)] : []} />
      <Button type="submit" size="sm" loading={busy} icon={<RefreshCw size={16} aria-hidden />}>
        Check again
      </Button>
    </div>
  );
}
