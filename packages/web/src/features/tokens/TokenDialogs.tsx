import { formatDate } from '@sallyport/sdk';
import { type CreatedToken, type Node, tokenAttributes, tokenInput } from '@sallyport/sdk/contract';
import { tokenExpiryProblem } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { links, OutsideLinks } from '../../data/links.tsx';
import { useShowNew } from '../../data/newRow.ts';
import { useWrite } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { formValues, useContractForm } from '../../form/contractForm.ts';
import { DateField } from '../../form/DateField.tsx';
import { TextField } from '../../form/fields.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { useNow } from '../../state/browser.ts';
import { ReadonlyField } from '../../ui/controls/ReadonlyField.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';
import { OnceDialog } from '../../ui/overlays/OnceDialog.tsx';

/** How often it is looked which day it is. */
const TICK_MS = 60_000;

type TokenFormDialogProps = { node: Node; onClose: (created?: CreatedToken) => void };

/** Makes an access token of a node. */
export function TokenFormDialog({ node, onClose }: TokenFormDialogProps) {
  const showNew = useShowNew();
  const create = useWrite('token.create');
  const now = useNow(TICK_MS);
  const { form, frame } = useContractForm({
    schema: tokenInput,
    row: undefined,
    valuesOf: () => formValues(tokenAttributes, {}),
    rules: ({ expireAt }) => [tokenExpiryProblem(expireAt, new Date())],
    save: (body) => create.mutateAsync({ params: { id: node.id }, body }),
    done(created) {
      const { id, name } = created;
      const link = <Link to="/nodes/$id" params={{ id: String(node.id) }} search={{ tokensSearch: name }} />;
      showNew({ name, lists: { 'Node Access Tokens': id }, link });
      onClose(created);
    },
  });
  return (
    <FormDialog {...frame} small onClose={() => onClose()} title="Access Token Configuration">
      <TextField
        control={form.control}
        name="name"
        label="Name"
        required
        placeholder="Enter a friendly name for this token"
      />
      <DateField
        control={form.control}
        name="expireAt"
        label="Expire At (Optional)"
        placeholder="Select a date"
        calendarLabel="Day of expiry"
        unset="Never"
        isCalendarFixed
        hint="Define when the token should be revoked automatically"
        earliest={now}
      />
    </FormDialog>
  );
}

/** Where it is told what such a token is for. */
const GUIDES = [
  { text: 'CLI tool', to: links.cli },
  { text: 'Docker client image', to: links.dockerGateway },
  { text: 'Kubernetes manifests', to: links.kubernetesGateway },
];

type TokenResultDialogProps = { created: CreatedToken; onClose: () => void };

/** Shows a new access token, the only time that it can be seen. */
export function TokenResultDialog({ created: { name, expireAt, token }, onClose }: TokenResultDialogProps) {
  return (
    <OnceDialog
      what="token"
      onClose={onClose}
      title="New Access Token Generated"
      description="The personal access token was created. Store it securely now: it is not shown again."
    >
      <div className="flex flex-col gap-4">
        <Facts
          items={[
            { label: 'Name', value: name },
            ...(expireAt === null
              ? []
              : [{ label: 'Expires', value: <RelativeTime at={expireAt}>{formatDate(expireAt)}</RelativeTime> }]),
          ]}
        />
        <ReadonlyField
          label="Token"
          value={token}
          copyLabel="Copy the token"
          hint="The token is only visible once. Make sure to store it securely."
        />
        <div className="flex flex-col gap-1">
          <p className="text-sm font-medium">Use it with</p>
          <OutsideLinks of={GUIDES} className="flex flex-wrap gap-x-4 gap-y-1" />
        </div>
      </div>
    </OnceDialog>
  );
}
