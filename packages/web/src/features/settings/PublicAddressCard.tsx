import { formatRelative } from '@sallyport/sdk';
import { type AddressSource, type PublicAddress, publicAddressInput } from '@sallyport/sdk/contract';
import { useRead, useWrite } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { useContractForm } from '../../form/contractForm.ts';
import { textOf, useField } from '../../form/fields.tsx';
import { LeaveGuard } from '../../form/LeaveGuard.tsx';
import { useNow } from '../../state/browser.ts';
import { Autocomplete } from '../../ui/controls/Autocomplete.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { Command } from '../../ui/controls/Command.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';

/** How often "2 minutes ago" is counted again. */
const TICK_MS = 10_000;

const sources: Record<AddressSource, string> = {
  environment: 'SALLYPORT_VPN_HOST',
  setting: 'The first start, or this page',
  machine: "No one: it is the machine's name",
};

/** By which name or address others are told to reach the gateway, what is known of it, and the way to change it. */
export function PublicAddressCard() {
  const { data } = useRead('publicAddress.get', {});
  return (
    <Card
      title="Public Address"
      description="The name or address by which hosts and visitors reach this gateway. It stands in commands, configurations and links."
    >
      {data === undefined ? null : <Address address={data} />}
    </Card>
  );
}

function Address({ address }: { address: PublicAddress }) {
  const { host, source, next, problem, warnings, facts, lastHandshakeAt, candidates } = address;
  const now = useNow(TICK_MS);
  return (
    <div className="flex flex-col gap-4">
      <Facts
        items={[
          { label: 'Address', value: host, mono: true },
          { label: 'Chosen by', value: sources[source] },
          {
            label: 'A node was last heard',
            value:
              lastHandshakeAt === null ? (
                'Never'
              ) : (
                <RelativeTime at={lastHandshakeAt}>{formatRelative(lastHandshakeAt, now)}</RelativeTime>
              ),
          },
        ]}
      />
      {next === null ? null : <NextStart next={next} />}
      {warnings.map((warning) => (
        <Alert key={warning} type="warning">
          {warning}
        </Alert>
      ))}
      {facts.length === 0 ? null : <p className="text-sm text-muted wrap-anywhere">{facts.join(' ')}</p>}
      {problem === null ? <AddressForm candidates={candidates} /> : <Alert>{problem}</Alert>}
    </div>
  );
}

/** What was saved does not count yet. */
function NextStart({ next }: { next: string }) {
  return (
    <Alert title={`From the next start on it is ${next}`}>
      <div className="flex flex-col gap-2">
        <p>
          Start the gateway again for it to count: as a service by this command, which visitors do not notice; otherwise
          end it and start it again. You may have to sign in again then.
        </p>
        <Command label="Command that starts it again" text="sudo systemctl reload sallyport-gateway" />
        <p>
          Hosts that have joined learn the new address by the former one, within a minute: let that lead here until all
          have been online with the new one.
        </p>
      </div>
    </Alert>
  );
}

/** What the machine knows itself by is suggested. */
function AddressForm({ candidates }: Pick<PublicAddress, 'candidates'>) {
  const change = useWrite('publicAddress.change', { done: 'Public address saved' });
  const { form, frame } = useContractForm({
    schema: publicAddressInput,
    row: undefined,
    valuesOf: () => ({ host: '' }),
    save: (body) => change.mutateAsync({ body }),
    done: () => form.reset(),
  });
  const label = 'Another address';
  const { field, value, change: changeHost, error } = useField({ control: form.control, name: 'host', label });
  return (
    <form noValidate className="flex max-w-88 flex-col gap-4" onSubmit={frame.onSubmit}>
      <LeaveGuard isChanged={frame.isChanged} />
      {frame.problem === undefined ? null : <Alert type="error">{frame.problem}</Alert>}
      <Field label={label} hint="It counts from the next start of the gateway on." error={error?.message} required>
        <Autocomplete
          {...field}
          value={textOf(value)}
          onValueChange={changeHost}
          onQueryChange={() => undefined}
          options={candidates.map(({ host, what }) => ({ value: host, note: what }))}
          placeholder="gateway.example.com"
        />
      </Field>
      <div>
        <Button type="submit" variant="info" loading={frame.busy}>
          Change Address
        </Button>
      </div>
    </form>
  );
}
