import {
  backendProtos,
  httpServiceAttributes,
  httpServiceDefaults,
  httpServiceInput,
  message,
  type HttpService,
  type Node,
  type SavedHttpService,
} from '@sallyport/sdk/contract';
import { backendHostProblem, builtinLockedFields, requireAuthProblem } from '@sallyport/sdk/rules';
import { useWatch } from 'react-hook-form';
import { useWrite } from '../../data/useWrite.ts';
import { CheckboxField } from '../../form/CheckboxField.tsx';
import { FormProblem } from '../../form/FormProblem.tsx';
import { formValues, type FormValues } from '../../form/formValues.ts';
import { NumberField } from '../../form/NumberField.tsx';
import { SelectField } from '../../form/SelectField.tsx';
import { TextareaField } from '../../form/TextareaField.tsx';
import { TextField } from '../../form/TextField.tsx';
import { useContractForm } from '../../form/useContractForm.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { ReadonlyField } from '../../ui/ReadonlyField.tsx';
import { AddressListField } from './AddressListField.tsx';
import { BackendHostField } from './BackendHostField.tsx';
import { DomainField } from './DomainField.tsx';
import { TimeToLiveField } from './TimeToLiveField.tsx';
import { useDomainNamed } from './useDomainNamed.ts';

const PROTOCOLS = backendProtos.map((value) => ({ value, label: value }));

type HttpServiceValues = FormValues<typeof httpServiceAttributes> & {
  /** Undefined: as it was. */
  ttl: string | undefined;
};

type HttpServiceDialogProps = {
  node: Node;
  service?: HttpService | undefined;
  onClose: (saved?: SavedHttpService) => void;
};

/** Exposes a web server of a node, or changes how one is exposed. */
export function HttpServiceDialog({ node, service, onClose }: HttpServiceDialogProps) {
  const create = useWrite('httpService.create');
  const update = useWrite('httpService.update', { ifMatch: service?.version });
  const builtin = service?.builtin ?? false;
  const values: HttpServiceValues = {
    ...formValues(httpServiceAttributes, service ?? httpServiceDefaults),
    ttl: undefined,
  };
  const { form, onSubmit, busy, problem } = useContractForm({
    schema: httpServiceInput,
    values,
    rules: ({ backendHost, backendPort }: HttpServiceValues) => [
      builtin ? null : backendHostProblem(node, backendHost),
      backendPort === null ? { field: 'backendPort', message: message.required } : null,
    ],
    save: async (body) => {
      if (!service) return await create.mutateAsync({ params: { nodeId: node.id }, body });
      const params = { nodeId: node.id, id: service.id };
      return await update.mutateAsync({ params, body: builtin ? withoutLocked(body) : body });
    },
    done: onClose,
  });
  const { control } = form;
  const [domain, requireAuth] = useWatch({ control, name: ['domain', 'requireAuth'] });
  const named = useDomainNamed(domain);
  const locked = (name: keyof HttpServiceValues) => builtin && isLocked(name);

  return (
    <FormDialog
      open
      busy={busy}
      onSubmit={onSubmit}
      onClose={() => onClose()}
      title="Expose HTTP Service on Node"
      description={builtin ? "The gateway's own console: it keeps its path and its backend." : undefined}
    >
      <div className="grid gap-4 sm:grid-cols-6">
        {problem ? (
          <div className="sm:col-span-6">
            <FormProblem problem={problem} />
          </div>
        ) : null}
        <div className="sm:col-span-3">
          <ReadonlyField label="Node Name" value={node.name} mono={false} />
        </div>
        <div className="sm:col-span-3">
          <TextField control={control} name="name" label="Service Name" required disabled={locked('name')} />
        </div>
        <div className="sm:col-span-4">
          <DomainField
            control={control}
            name="domain"
            label="Public Domain"
            hint="A domain of the list, or a new one, which is then added."
          />
        </div>
        <div className="sm:col-span-2">
          <TextField
            control={control}
            name="pathLocation"
            label="Public HTTP Path"
            placeholder="/"
            mono
            disabled={locked('pathLocation')}
          />
        </div>
        <div className="sm:col-span-2">
          <SelectField
            control={control}
            name="backendProto"
            label="Backend Protocol"
            options={PROTOCOLS}
            disabled={locked('backendProto')}
          />
        </div>
        <div className="sm:col-span-2">
          <BackendHostField control={control} name="backendHost" node={node} disabled={locked('backendHost')} />
        </div>
        <div className="sm:col-span-2">
          <NumberField
            control={control}
            name="backendPort"
            label="Backend Port"
            required
            disabled={locked('backendPort')}
          />
        </div>
        <div className="sm:col-span-3">
          <AddressListField control={control} name="allowedIps" />
        </div>
        <div className="sm:col-span-3">
          <AddressListField control={control} name="blockedIps" />
        </div>
        <div className="sm:col-span-6">
          <CheckboxField
            control={control}
            name="requireAuth"
            label="Require Authentication"
            hint="Visitors sign in before they reach the service."
            warning={named.settled ? requireAuthProblem(requireAuth, named.domain)?.message : undefined}
            disabled={locked('requireAuth')}
          />
        </div>
        {requireAuth ? (
          <div className="sm:col-span-6">
            <TextareaField
              control={control}
              name="skipAuthRoutes"
              label="Paths to bypass authentication (optional)"
              hint="One a line: a path, or ^ and a pattern."
              mono
              disabled={locked('skipAuthRoutes')}
            />
          </div>
        ) : null}
        {builtin ? null : (
          <div className="sm:col-span-6">
            <TimeToLiveField control={control} name="ttl" expiresAt={service?.expiresAt ?? null} />
          </div>
        )}
      </div>
    </FormDialog>
  );
}

const isLocked = (name: string) => (builtinLockedFields as readonly string[]).includes(name);

/** What may be changed about the gateway's own console. */
const withoutLocked = <T extends object>(body: T): Partial<T> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !isLocked(name))) as Partial<T>;
