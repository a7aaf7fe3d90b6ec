import {
  backendProtos,
  httpServiceAttributes,
  httpServiceDefaults,
  httpServiceInput,
  type HttpService,
  type Node,
  type SavedHttpService,
} from '@sallyport/sdk/contract';
import { builtinLockedFields, requireAuthProblem } from '@sallyport/sdk/rules';
import { useWatch } from 'react-hook-form';
import { useConnection } from '../../data/connection.ts';
import { useDomainNamed, useUnavailableText } from '../../data/gateway.ts';
import { useShowNew } from '../../data/newRow.ts';
import { invoke, useWrite } from '../../data/queries.ts';
import { formValues, type FormValues, useContractForm } from '../../form/contractForm.ts';
import { CheckboxField, TextareaField, TextField } from '../../form/fields.tsx';
import { newService } from './newService.tsx';
import { backendProblems, ServiceForm } from './ServiceForm.tsx';

type HttpServiceValues = FormValues<typeof httpServiceAttributes> & {
  /** Undefined: as it was. */
  ttl: string | undefined;
};

const valuesOf = (service: HttpService | undefined): HttpServiceValues => ({
  ...formValues(httpServiceAttributes, service ?? httpServiceDefaults),
  ttl: undefined,
});

type HttpServiceDialogProps = {
  node: Node;
  service?: HttpService | undefined;
  onClose: (saved?: SavedHttpService) => void;
};

/** Exposes a web server of a node, or changes how one is exposed. */
export function HttpServiceDialog({ node, service, onClose }: HttpServiceDialogProps) {
  const { client } = useConnection();
  const showNew = useShowNew();
  const create = useWrite('httpService.create');
  const update = useWrite('httpService.update');
  const builtin = service?.builtin ?? false;
  const { form, frame } = useContractForm({
    schema: httpServiceInput,
    row: service,
    valuesOf,
    read: ({ nodeId, id }) => invoke(client, 'httpService.get', { params: { nodeId, id } }),
    // Without sign-in there is nothing to bypass: what is stored stays.
    hidden: ({ requireAuth }) => (requireAuth ? {} : { skipAuthRoutes: undefined }),
    rules: (values) => (builtin ? [] : backendProblems(node, values)),
    save: async (body, row) => {
      if (!row) return await create.mutateAsync({ params: { nodeId: node.id }, body });
      const params = { nodeId: node.id, id: row.id };
      return await update.mutateAsync({ params, body: builtin ? withoutLocked(body) : body, ifMatch: row.version });
    },
    done(saved) {
      if (!service) showNew(newService(saved));
      onClose(saved);
    },
  });
  const { control } = form;
  const signInOff = useUnavailableText('visitorSignIn');
  const [domain, requireAuth] = useWatch({ control, name: ['domain', 'requireAuth'] });
  const named = useDomainNamed(domain);
  const locked = (name: string) => builtin && isLocked(name);

  return (
    <ServiceForm
      title="Expose HTTP Service on Node"
      description={builtin ? "The gateway's own console: it keeps its path and its backend." : undefined}
      node={node}
      control={control}
      frame={frame}
      onClose={() => onClose()}
      proto={{ name: 'backendProto', of: backendProtos }}
      expiresAt={builtin ? undefined : (service?.expiresAt ?? null)}
      isLocked={locked}
      place={
        <TextField
          control={control}
          name="pathLocation"
          label="Public HTTP Path"
          placeholder="/"
          mono
          disabled={locked('pathLocation')}
        />
      }
    >
      <CheckboxField
        control={control}
        name="requireAuth"
        label="Require Authentication"
        hint={signInOff ? `Off on this gateway: ${signInOff}` : 'Visitors sign in before they reach the service.'}
        warning={named.settled ? requireAuthProblem(requireAuth, named.domain)?.message : undefined}
        disabled={locked('requireAuth')}
      />
      {requireAuth ? (
        <TextareaField
          control={control}
          name="skipAuthRoutes"
          label="Paths to bypass authentication (optional)"
          hint="One a line: a path, or ^ and a pattern."
          mono
          disabled={locked('skipAuthRoutes')}
        />
      ) : null}
    </ServiceForm>
  );
}

const isLocked = (name: string) => (builtinLockedFields as readonly string[]).includes(name);

/** What may be changed about the gateway's own console. */
const withoutLocked = <T extends object>(body: T): Partial<T> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !isLocked(name))) as Partial<T>;
