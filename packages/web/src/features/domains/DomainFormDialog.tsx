import { type Domain, domainAttributes, domainDefaults, domainInput, message, sslKinds } from '@sallyport/sdk/contract';
import { dnsRecordTo, isBareHost } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useFormState, useWatch } from 'react-hook-form';
import { useConnection } from '../../data/connection.ts';
import { DnsRecords } from '../../data/domainDns.tsx';
import { useFeatureHint } from '../../data/featureOff.tsx';
import { dnsName, dnsSpelling, sslName } from '../../data/domainNames.ts';
import { useUnavailable } from '../../data/gateway.ts';
import { useShowNew } from '../../data/newRow.ts';
import { NodesField } from '../../data/NodesField.tsx';
import { invoke, useRead, useWrite } from '../../data/queries.ts';
import { formValues, useContractForm } from '../../form/contractForm.ts';
import { CheckboxField, ListField, SelectField, TextField } from '../../form/fields.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { FoldedGroup, FormGroup } from '../../form/FormGroup.tsx';
import { NoteInputs, noteNames, noteSummary } from '../../form/NoteFields.tsx';
import type { AddressParts } from '../../form/pastedAddress.ts';
import { type Placed, SplitAddress } from '../../form/SplitAddress.tsx';
import { Button } from '../../ui/controls/Button.tsx';

const onlyDomain = ({ host, port, path, leftOut }: AddressParts): Placed => ({
  values: { domain: host },
  leftOut: [
    ...(port === null ? [] : ['the port (the gateway has its own)']),
    ...(path === '/' ? [] : ['the path (a service has one)']),
    ...leftOut,
  ],
});

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
  const [name, skipValidation, authentication, ssl, reserved, tags, notes] = useWatch({
    control,
    name: ['domain', 'skipValidation', 'authentication', 'ssl', 'reserved', 'tags', 'notes'],
  });
  const { errors } = useFormState({ control });
  const [issuerOff, signInOff] = [useUnavailable('letsEncrypt') !== null, useUnavailable('visitorSignIn') !== null];
  const issuerHint = useFeatureHint('letsEncrypt');
  const signInHint = useFeatureHint('visitorSignIn', 'Services of this domain may ask their visitors to sign in.');
  const skip = (chosen: boolean) => {
    if (!chosen) return;
    setValue('ssl', 'self-signed');
    clearErrors('domain');
  };
  const certificates = sslKinds.map((value) => ({
    value,
    label: sslName[value],
    // What a domain has it keeps.
    disabled: value === 'certbot' && issuerOff && ssl !== value,
  }));

  return (
    <FormDialog {...frame} onClose={() => onClose()} title="Domain & SSL Settings">
      <SplitAddress form={form} name="domain" place={(parts) => (domain === undefined ? onlyDomain(parts) : null)}>
        <TextField
          control={control}
          name="domain"
          label="Domain"
          hint={dnsSpelling(name)}
          required
          mono
          placeholder="app.example.com"
          disabled={domain !== undefined}
        />
      </SplitAddress>
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
      <FormGroup title="Certificate">
        <SelectField
          control={control}
          name="ssl"
          label="SSL"
          options={certificates}
          disabled={skipValidation}
          hint={issuerHint}
        />
        <CheckboxField
          control={control}
          name="hsts"
          label="HTTPS only (HSTS)"
          hint="Browsers that have visited the domain use HTTPS only from then on, for one day at first. Sent only while the certificate is trusted."
        />
      </FormGroup>
      <FormGroup title="Access">
        <CheckboxField
          control={control}
          name="authentication"
          label="Enable OAuth2 authentication"
          hint={signInHint}
          disabled={signInOff && !authentication}
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
      </FormGroup>
      <FoldedGroup
        title="Nodes and details"
        summary={`${reserved ? 'reserved for administrators' : 'open to its node'} · ${noteSummary(tags, notes)}`}
        control={control}
        names={['reserved', 'allowedNodes', ...noteNames]}
      >
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
        <NoteInputs control={control} />
      </FoldedGroup>
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
      <DnsRecords records={isPublic ? [dnsRecordTo(dnsName(domain), host)] : []} />
      <Button type="submit" size="sm" loading={busy} icon={<RefreshCw size={16} aria-hidden />}>
        Check again
      </Button>
    </div>
  );
}
