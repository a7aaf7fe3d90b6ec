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
import { useFeatureHint } from '../../data/featureOff.tsx';
import { useDomainNamed } from '../../data/domainNames.ts';
import { useUnavailable } from '../../data/gateway.ts';
import { useShowNew } from '../../data/newRow.ts';
import { invoke, useWrite } from '../../data/queries.ts';
import { formValues, type FormValues, useContractForm } from '../../form/contractForm.ts';
import { CheckboxField, TextareaField, TextField } from '../../form/fields.tsx';
import { type AddressParts, portOf } from '../../form/pastedAddress.ts';
import type { Placed } from '../../form/SplitAddress.tsx';
import { newService } from './newService.tsx';
import { backendProblems, firstBackendHost, ServiceForm } from './ServiceForm.tsx';
import { ServiceSummary } from './ServiceSummary.tsx';

type HttpServiceValues = FormValues<typeof httpServiceAttributes> & {
  /** Undefined: as it was. */
  ttl: string | undefined;
};

const valuesOf = (service: HttpService | undefined, node: Node): HttpServiceValues => ({
  ...formValues(httpServiceAttributes, service ?? { ...httpServiceDefaults, backendHost: firstBackendHost(node) }),
  ttl: undefined,
});

/** Whether an address may be one of the web. */
const isWeb = ({ scheme }: AddressParts): boolean => scheme === null || scheme === 'http' || scheme === 'https';

const placed = {
  visitors: ({ host, port, path, leftOut }: AddressParts): Placed => ({
    values: { domain: host, ...(path === '/' ? {} : { pathLocation: path }) },
    leftOut: [...(port === null ? [] : ['the port (the gateway has its own)']), ...leftOut],
  }),
  backend: (parts: AddressParts): Placed | null => {
    if (!isWeb(parts)) return null;
    const { scheme, host, path, leftOut } = parts;
    const port = portOf(parts);
    return {
      values: {
        ...(scheme === null ? {} : { backendProto: scheme }),
        backendHost: host,
        ...(port === null ? {} : { backendPort: port }),
      },
      leftOut: [...(path === '/' ? [] : ['the path (the backend gets the one that visitors ask for)']), ...leftOut],
    };
  },
};

type HttpServiceDialogProps = {
  node: Node;
  service?: HttpService | undefined;
  initialField?: string | undefined;
  onClose: (saved?: SavedHttpService) => void;
};

/** Exposes a web server of a node, or changes how one is exposed. */
export function HttpServiceDialog({ node, service, initialField, onClose }: HttpServiceDialogProps) {
  const { client } = useConnection();
  const showNew = useShowNew();
  const create = useWrite('httpService.create');
  const update = useWrite('httpService.update');
  const builtin = service?.builtin ?? false;
  const { form, frame } = useContractForm({
    schema: httpServiceInput,
    row: service,
    valuesOf: (row) => valuesOf(row, node),
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
  const signInHint = useFeatureHint('visitorSignIn', 'Visitors sign in before they reach the service.');
  const signInOff = useUnavailable('visitorSignIn') !== null;
  const values = useWatch({ control, compute: (all) => all });
  const { domain, requireAuth } = values;
  const named = useDomainNamed(domain);
  const locked = (name: string) => builtin && isLocked(name);

  return (
    <ServiceForm
      title="Expose HTTP Service on Node"
      description={builtin ? "The gateway's own console: it keeps its path and its backend." : undefined}
      initialField={initialField}
      node={node}
      form={form}
      frame={frame}
      onClose={() => onClose()}
      proto={{ name: 'backendProto', of: backendProtos }}
      expiresAt={builtin ? undefined : (service?.expiresAt ?? null)}
      isLocked={locked}
      placed={placed}
      summary={builtin ? null : <ServiceSummary values={values} node={node} service={service} />}
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
        hint={signInHint}
        warning={named.settled ? requireAuthProblem(requireAuth, named.domain)?.message : undefined}
        disabled={locked('requireAuth') || (signInOff && !requireAuth)}
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
