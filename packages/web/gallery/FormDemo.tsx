import { useState } from 'react';
import { Autocomplete } from '../src/ui/Autocomplete.tsx';
import { Card } from '../src/ui/Card.tsx';
import { Checkbox } from '../src/ui/Checkbox.tsx';
import { Field } from '../src/ui/Field.tsx';
import { ListInput } from '../src/ui/ListInput.tsx';
import { NumberInput } from '../src/ui/NumberInput.tsx';
import { PageHeader } from '../src/ui/PageHeader.tsx';
import { PasswordInput } from '../src/ui/PasswordInput.tsx';
import { ReadonlyField } from '../src/ui/ReadonlyField.tsx';
import { Select } from '../src/ui/Select.tsx';
import { Switch } from '../src/ui/Switch.tsx';
import { Textarea } from '../src/ui/Textarea.tsx';
import { TextInput } from '../src/ui/TextInput.tsx';

const DOMAINS = ['app.example.test', 'grafana.example.test', 'wiki.example.test', 'git.example.test'];

export function FormDemo() {
  const [ips, setIps] = useState(['192.0.2.0/24', '300.1.1.1']);
  const [domain, setDomain] = useState('');
  const [query, setQuery] = useState('');
  return (
    <>
      <PageHeader title="Forms" />
      <Card title="Fields">
        <div className="grid gap-x-4 gap-y-4 md:grid-cols-2">
          <Field label="Service Name" required hint="Shown in lists and in the log.">
            <TextInput placeholder="Enter a friendly name" />
          </Field>
          <Field label="Backend Port" required error="This field is required">
            <NumberInput defaultValue="" />
          </Field>
          <Field label="Public Domain" hint="A domain of the list, or a new one.">
            <Autocomplete
              value={domain}
              onValueChange={setDomain}
              onQueryChange={setQuery}
              options={DOMAINS.filter((name) => name.includes(query)).map((value) => ({ value }))}
            />
          </Field>
          <Field label="SSL">
            <Select
              options={[
                { value: 'self-signed', label: 'Self Signed' },
                { value: 'certbot', label: "Let's Encrypt" },
              ]}
            />
          </Field>
          <Field label="Password">
            <PasswordInput defaultValue="correct horse" />
          </Field>
          <Field label="Backend Host" hint="Given by the node.">
            <TextInput disabled value="10.88.0.2" mono readOnly />
          </Field>
          <Field label="Allowed IPs" as="group" hint="Everybody when empty.">
            <ListInput
              rowLabel="Allowed IP"
              addLabel="Add IP"
              values={ips}
              onChange={setIps}
              mono
              errors={[undefined, 'This field must be an IP address or a subnet']}
            />
          </Field>
          <Field label="Paths to bypass authentication (optional)">
            <Textarea mono defaultValue={'/health\n/public/'} />
          </Field>
          <ReadonlyField
            label="Token"
            value="spt_2f8a0c9d1e7b4a6f"
            copyLabel="Copy the token"
            hint="The token is only visible once. Make sure to store it securely."
          />
          <div className="flex flex-col gap-3">
            <Checkbox label="Skip Domain Validation" hint="Forces a self-signed certificate." defaultChecked />
            <Checkbox label="Require Authentication" error="Authentication is not enabled for this domain" />
            <Checkbox label="Unavailable" disabled />
            <Switch label="Act as a network gateway" hint="The node lets the gateway into its subnet." defaultChecked />
            <Switch label="Send all internet traffic through the VPN" />
            <Switch label="Unavailable" disabled />
          </div>
        </div>
      </Card>
    </>
  );
}
