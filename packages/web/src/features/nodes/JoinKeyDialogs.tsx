import { formatDate } from '@sallyport/sdk';
import { type CreatedJoinKey, joinKeyAttributes, joinKeyInput } from '@sallyport/sdk/contract';
import { tokenExpiryProblem } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { useUnavailable } from '../../data/gateway.ts';
import { useShowNew } from '../../data/newRow.ts';
import { useRead, useWrite } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { formValues, useContractForm } from '../../form/contractForm.ts';
import { DateField } from '../../form/DateField.tsx';
import { CheckboxField, TextField } from '../../form/fields.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { useNow } from '../../state/browser.ts';
import { NeededNoMore, OnceDialog } from '../../ui/overlays/OnceDialog.tsx';
import { LineAndCode, PublicNameAlert, TunnelOffAlert } from './joining.tsx';

/** How often it is looked which day it is. */
const TICK_MS = 60_000;
/** How soon it is told that a host has used the key. */
const USED_MS = 4000;

/** Makes a key by which hosts join as new nodes. */
export function JoinKeyFormDialog({ onClose }: { onClose: (created?: CreatedJoinKey) => void }) {
  const showNew = useShowNew();
  const create = useWrite('joinKey.create');
  const now = useNow(TICK_MS);
  const { form, frame } = useContractForm({
    schema: joinKeyInput,
    row: undefined,
    valuesOf: () => formValues(joinKeyAttributes, {}),
    rules: ({ expireAt }) => [tokenExpiryProblem(expireAt, new Date())],
    save: (body) => create.mutateAsync({ body }),
    done(created) {
      const { id, name } = created;
      showNew({ name, lists: { 'Join Keys': id }, link: <Link to="/nodes" search={{ joinKeysSearch: name }} /> });
      onClose(created);
    },
  });
  const { control } = form;
  return (
    <FormDialog
      {...frame}
      small
      onClose={() => onClose()}
      title="Add Join Key"
      description="A code with which a host joins as a new node, without your password."
    >
      <TextField control={control} name="name" label="Name" required placeholder="What it is for, like rack 2" />
      <CheckboxField
        control={control}
        name="reusable"
        label="Reusable"
        hint="Any number of hosts may join with it, each as a node of its own. Otherwise one host may."
      />
      <CheckboxField
        control={control}
        name="isGateway"
        label="The new node is a gateway"
        hint="Behind it is the private subnet that the host names when it joins."
      />
      <TextField
        control={control}
        name="namePattern"
        label="Node names (Optional)"
        placeholder="web-*"
        mono
        hint="What a new node may be called; * stands for any letters."
      />
      <DateField
        control={control}
        name="expireAt"
        label="Expire At (Optional)"
        placeholder="Select a date"
        calendarLabel="Day of expiry"
        unset="1 day"
        hint="From then on no host can join with it."
        earliest={now}
      />
    </FormDialog>
  );
}

type JoinKeyResultDialogProps = { created: CreatedJoinKey; onClose: () => void };

/** Shows the code of a new join key, the only time that it can be seen, and the line that asks for it. */
export function JoinKeyResultDialog({ created, onClose }: JoinKeyResultDialogProps) {
  const { name, reusable, isGateway, expireAt, command } = created;
  const tunnelOff = useUnavailable('tunnel');
  return (
    <OnceDialog
      what="code"
      onClose={onClose}
      title="New Join Key"
      description={
        <>
          The key <strong>{name}</strong> was created. Store its code now: it is not shown again.
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {reusable ? null : <Used created={created} />}
        {tunnelOff ? <TunnelOffAlert /> : <PublicNameAlert />}
        <LineAndCode
          made={created}
          hint={
            <>
              {reusable ? 'For any number of hosts' : 'For one host'}, until{' '}
              <RelativeTime at={expireAt}>{formatDate(expireAt)}</RelativeTime>.
            </>
          }
        />
        {command === null ? null : (
          <p className="text-sm text-muted">
            Where no one is there to type it, put the code into a file, and end the line with{' '}
            <code>sudo SALLYPORT_CODE_FILE=FILE sh</code>.
            {isGateway ? (
              <>
                {' '}
                The subnet behind the host is that of its default route; end the line with{' '}
                <code>sudo sh -s -- --subnet SUBNET</code> for another one.
              </>
            ) : null}
          </p>
        )}
      </div>
    </OnceDialog>
  );
}

/** Says that a host has joined with a key for one. */
function Used({ created: { id } }: { created: CreatedJoinKey }) {
  const { data } = useRead('joinKey.list', { query: { orderBy: 'created_at,desc', limit: 20 } }, { everyMs: USED_MS });
  const isUsed = data?.data.some((key) => key.id === id && key.uses > 0) ?? false;
  return <NeededNoMore title={isUsed ? 'A host has joined with it' : null} />;
}
