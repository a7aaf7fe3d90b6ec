import { message, type Node, nodeAttributes, nodeDefaults, nodeInput, type Problem } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Plus, X } from 'lucide-react';
import { type Control, useFieldArray, type UseFormReturn, useWatch } from 'react-hook-form';
import { useConnection } from '../../data/connection.ts';
import { useShowNew } from '../../data/newRow.ts';
import { invoke, useWrite } from '../../data/queries.ts';
import { formValues, type FormValues, useContractForm } from '../../form/contractForm.ts';
import { CheckboxField, ListField, NumberField, TextField } from '../../form/fields.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { FormGroup } from '../../form/FormGroup.tsx';
import { NoteFields } from '../../form/NoteFields.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { IconButton } from '../../ui/controls/IconButton.tsx';

type NodeFormValues = FormValues<typeof nodeAttributes>;

/** A saved node; the token is there when it is new. */
export type SavedNode = Node & { token?: string };

/** The interface that a gateway's subnet hangs on, unless the administrator says otherwise. */
const DEFAULT_INTERFACE = 'eth0';

const emptyNetwork = { interface: DEFAULT_INTERFACE, subnet: '' };

const valuesOf = (node: Node | undefined): NodeFormValues => {
  const values = formValues(nodeAttributes, node ?? { ...nodeDefaults, address: '' });
  // Another gateway of the family may know the short form alone.
  const subnet = values.gatewayNetworks.length === 0 && node?.gatewayNetwork;
  return subnet ? { ...values, gatewayNetworks: [{ ...emptyNetwork, subnet }] } : values;
};

/** A gateway without a subnet is told at the subnet's own field, not at a field that the form does not have. */
const missingSubnets = ({ isGateway, gatewayNetworks }: NodeFormValues): Problem[] =>
  isGateway
    ? gatewayNetworks.flatMap(({ subnet }, index) =>
        subnet === '' ? [{ field: `gatewayNetworks.${index}.subnet`, message: message.required }] : [],
      )
    : [];

/** What the advanced form alone shows. */
const ADVANCED = ['dns', 'keepalive', 'resolver', 'allowAnyDomain', 'allowedNetworks'];
/** What of that is for gateways alone. */
const OF_GATEWAYS = ['resolver', 'allowedNetworks'];

const FIRST_SUBNET = 'gatewayNetworks.0.subnet';

/** The short form of a node's networks, and the list as a whole, are the first subnet here. */
const placeOf = (field: string): string =>
  field === 'gatewayNetwork' || field === 'gatewayNetworks' ? FIRST_SUBNET : field;

type NodeFormDialogProps = { node?: Node | undefined; onClose: (saved?: SavedNode) => void };

/** Creates a node, or changes one. */
export function NodeFormDialog({ node, onClose }: NodeFormDialogProps) {
  const { client } = useConnection();
  const showNew = useShowNew();
  const create = useWrite('node.create');
  const update = useWrite('node.update', { done: 'Node updated successfully!' });
  const { form, frame } = useContractForm({
    schema: nodeInput,
    row: node,
    valuesOf,
    read: ({ id }) => invoke(client, 'node.get', { params: { id } }),
    rules: missingSubnets,
    // What is not a gateway has no networks; what else it may have one day stays as it is stored.
    hidden: ({ isGateway: asked }) => (asked ? {} : { gatewayNetworks: [], resolver: '', allowedNetworks: undefined }),
    placeOf,
    asides: ['advanced'],
    reveal(field): boolean {
      const [name = ''] = field.split('.');
      const isHere = ADVANCED.includes(name) && (!OF_GATEWAYS.includes(name) || form.getValues('isGateway'));
      if (isHere) form.setValue('advanced', true);
      return isHere;
    },
    save: async (body, row): Promise<SavedNode> =>
      row
        ? await update.mutateAsync({ params: { id: row.id }, body, ifMatch: row.version })
        : await create.mutateAsync({ body }),
    done(saved) {
      const { id, name } = saved;
      if (!node) showNew({ name, lists: { Nodes: id }, link: <Link to="/nodes/$id" params={{ id: String(id) }} /> });
      onClose(saved);
    },
  });
  const { control, setValue } = form;
  const isGateway = useWatch({ control, name: 'isGateway' });
  const advanced = useWatch({ control, name: 'advanced' });

  return (
    <FormDialog {...frame} onClose={() => onClose()} title="Client / Node Configuration">
      <TextField control={control} name="name" label="Name" required />
      {node ? (
        <TextField control={control} name="address" label="Address" mono hint="IPv4 within the VPN, without CIDR." />
      ) : null}
      <FormGroup title="Network">
        <CheckboxField
          control={control}
          name="isGateway"
          asSwitch
          label="Act as a network gateway"
          hint="The node lets this gateway reach the subnet behind it."
          onChosen={(chosen) => setValue('gatewayNetworks', chosen ? [emptyNetwork] : [], { shouldValidate: false })}
        />
        {isGateway ? <NetworkFields form={form} several={advanced} empty={emptyNetwork} /> : null}
        <CheckboxField
          control={control}
          name="allowInternet"
          asSwitch
          label="Send all internet traffic through the VPN"
          hint="This may affect the node's internet performance."
        />
      </FormGroup>
      <div className="mt-2 grid gap-4">
        <button
          type="button"
          aria-expanded={advanced}
          onClick={() => setValue('advanced', !advanced)}
          className="group -mx-1 flex items-center gap-1 rounded-xs px-1 py-1 text-left text-xs font-semibold text-muted hover:bg-hover"
        >
          <ChevronRight size={16} aria-hidden className="shrink-0 transition-transform group-aria-expanded:rotate-90" />
          {advanced ? 'Simple Form' : 'Advanced Form'}
        </button>
        {advanced ? (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField control={control} name="dns" label="DNS" placeholder="1.1.1.1" mono />
            <NumberField
              control={control}
              name="keepalive"
              label="Persistence Keepalive"
              hint="Seconds between keep-alive packets; 0 sends none."
            />
          </div>
        ) : null}
        {advanced && isGateway ? (
          <TextField
            control={control}
            name="resolver"
            label="DNS server behind it"
            placeholder="192.168.1.1"
            mono
            hint="It is asked for backends by name (nas.lan), and must be within the subnets. Without one, the node itself is asked."
          />
        ) : null}
        {advanced ? <TokenRights control={control} isGateway={isGateway} /> : null}
      </div>
      <NoteFields control={control} />
    </FormDialog>
  );
}

/** What the node's access tokens may do beyond what is the node's own. */
function TokenRights<Out>({
  control,
  isGateway,
}: {
  control: Control<NodeFormValues, unknown, Out>;
  isGateway: boolean;
}) {
  return (
    <>
      <CheckboxField
        control={control}
        name="allowAnyDomain"
        label="Its access tokens may use every domain"
        hint="Otherwise they may use this node's own domains, and those whose settings allow this node."
      />
      {isGateway ? (
        <ListField
          control={control}
          name="allowedNetworks"
          label="Further networks"
          hint="Networks outside the private ranges, or large parts of them, that its access tokens may put behind this node."
          rowLabel="Allowed network"
          addLabel="Add Network"
          placeholder="198.51.100.0/24"
          mono
        />
      ) : null}
    </>
  );
}

type NetworkFieldsProps<Out> = {
  form: UseFormReturn<NodeFormValues, unknown, Out>;
  /** A gateway may have more subnets than one. */
  several: boolean;
  /** A new row. */
  empty: NodeFormValues['gatewayNetworks'][number];
};

/** Interface and subnet of each network behind a gateway. */
function NetworkFields<Out>({ form, several, empty }: NetworkFieldsProps<Out>) {
  const { control } = form;
  const { fields, append, remove } = useFieldArray({ control, name: 'gatewayNetworks' });
  return (
    <Field as="group" label="Interface & Subnet">
      <ul className="flex flex-col gap-3 [&_label]:font-normal [&_label]:text-muted">
        {fields.map((row, index) => (
          <li key={row.id} className="flex items-start gap-2">
            <div className="w-28 shrink-0">
              <TextField control={control} name={`gatewayNetworks.${index}.interface`} label="Interface" mono />
            </div>
            <div className="min-w-0 flex-1">
              <TextField
                control={control}
                name={`gatewayNetworks.${index}.subnet`}
                label="Subnet"
                placeholder="192.168.1.0/24"
                required
                mono
              />
            </div>
            {fields.length > 1 ? (
              <div className="pt-6">
                <IconButton
                  label={`Remove interface ${index + 1}`}
                  icon={<X size={16} aria-hidden />}
                  onClick={() => remove(index)}
                />
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      {several ? (
        <div className="mt-3">
          <Button size="sm" icon={<Plus size={14} aria-hidden />} onClick={() => append(empty)}>
            Add Interface
          </Button>
        </div>
      ) : null}
    </Field>
  );
}
