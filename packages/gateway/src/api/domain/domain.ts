import {
  type DnsState,
  type Domain,
  domain,
  DOMAIN_UNVERIFIED,
  domainAttributes,
  domainInput,
  message,
  noteAttributes,
} from '@sallyport/sdk/contract';
import { signInWithTlsProblem, someNames } from '@sallyport/sdk/rules';
import { answeredRows, damageProblem, formOf, shownPage } from '../entities.ts';
import { requireRight } from '../identity.ts';
import { failure, refuseProblems, requireSameId, requireVersion, takenMessage } from '../failure.ts';
import { isOwnName, OWN_NAME_PROBLEM } from '../../rules/domainName.ts';
import type { DomainRow, Outcome } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Context, HandlersOf } from '../context.ts';
import { requireConsoleMovable } from '../service/httpService.ts';
import { domainUrl } from '../service/publicAddress.ts';

const answered = answeredRows(domain);
const merged = formOf(domainAttributes, domainInput);

/** A domain as it is answered. */
export function showDomain(stored: DomainRow, { world, settings }: Pick<Context, 'world' | 'settings'>): Domain {
  const { row, damaged } = answered(stored);
  return {
    ...row,
    problem: world.problem('domain', row.id) ?? damageProblem(damaged),
    publicAccess: domainUrl(row.domain, settings),
    ...world.certificate(row.id),
    ...world.dns.last(row.domain),
  };
}

function found(row: DomainRow | null): DomainRow {
  if (row === null) throw failure.notFound('Domain not found!');
  return row;
}

const shown = async (id: number, context: Context): Promise<Domain> =>
  showDomain(found(await context.store.domains.get(id)), context);

/** What an administrator said about a domain. */
type Form = Pick<DomainRow, keyof typeof domainAttributes>;

/** The whole of what is said about a domain, once a change is made to what was said before. */
function domainForm(before: Partial<Form>, change: Partial<Record<keyof Form, unknown>>): Form {
  const form = merged(before, {
    ...change,
    // What one choice of the form switches off goes with it, also when the caller does not say so.
    ...(change.skipValidation === true && change.ssl === undefined && { ssl: 'self-signed' }),
    ...(change.ssl === 'certbot' && change.skipValidation === undefined && { skipValidation: false }),
    ...(change.authentication === false && change.allowedEmails === undefined && { allowedEmails: null }),
  });
  return {
    ...form,
    allowedEmails: form.allowedEmails?.length ? form.allowedEmails : null,
    allowedNodes: form.allowedNodes?.length ? form.allowedNodes : null,
  };
}

/** What the world must be able to do for the domain. `before` is the row as it is; null: the domain is new. */
async function requirePossible(next: Form, before: DomainRow | null, { world }: Context): Promise<void> {
  const issuer = world.certificateIssuer();
  const wantsCertificate = next.ssl === 'certbot' && before?.ssl !== 'certbot';
  if (wantsCertificate && !issuer.available) {
    throw failure.invalid([{ field: 'ssl', message: `${issuer.reason} Choose a self-signed one.` }]);
  }
  const signIn = world.signIn();
  if (next.authentication && before?.authentication !== true && !signIn.available) {
    throw failure.rejected(`OAuth2 authentication cannot be enabled. ${signIn.reason}`);
  }
  const wantsValidation = !next.skipValidation && (before === null || before.skipValidation || wantsCertificate);
  // One that came along with an import is served before the name leads here.
  if (!wantsValidation || (wantsCertificate && (await world.hasCertificate(next.domain)))) return;
  const { state, text } = await world.dns.check(next.domain);
  if (VALID.includes(state)) return;
  const reason =
    state === 'no-answer'
      ? `${DOMAIN_UNVERIFIED} ${text} Try again, or skip the validation.`
      : `${message.domainElsewhere} ${text}`;
  throw failure.invalid([{ field: 'domain', message: reason }]);
}

/** A name server at home may say an address of the own network where those outside say the public one. */
const VALID: readonly DnsState[] = ['here', 'partly', 'inside'];

/** Only remote nodes have access tokens. */
async function requireNodes(tx: Transaction, { allowedNodes }: Form): Promise<void> {
  if (allowedNodes === null) return;
  const remote = new Set((await tx.nodes.all({ isLocal: false })).map(({ id }) => id));
  refuseProblems(
    allowedNodes.map(
      (id, index) => !remote.has(id) && { field: `allowedNodes.${index}`, message: 'There is no such remote node' },
    ),
  );
}

/** The services that went along, by name. */
const withThem = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` With it went: ${someNames(names)}.`;

const madeDomain = ({ id }: DomainRow): Outcome => ({ id });

export const domainHandlers: HandlersOf<'domain'> = {
  async 'domain.list'({ query }, context) {
    return shownPage(await context.store.domains.list(query), (row) => showDomain(row, context));
  },

  'domain.get': ({ params }, context) => shown(params.id, context),

  async 'domain.dns'({ params }, { store, world }) {
    return world.dns.check(found(await store.domains.get(params.id)).domain);
  },

  async 'domain.create'({ body }, context) {
    const next = domainForm({}, body);
    const taken = (await context.store.domains.all({ domain: next.domain })).length > 0;
    refuseProblems([
      isOwnName(next.domain, context.settings.hostNames) && { field: 'domain', message: OWN_NAME_PROBLEM },
      taken && { field: 'domain', message: takenMessage('domain') },
    ]);
    await requirePossible(next, null, context);
    const { id } = await context.write(async (tx) => {
      await requireNodes(tx, next);
      return tx.domains.create({ ...next, cameWithService: false });
    }, madeDomain);
    return shown(id, context);
  },

  async 'domain.update'({ params: { id }, body: { id: bodyId, publish, ...patch } }, context) {
    requireSameId(bodyId, id);
    // It changes the services of the domain.
    if (publish === true) requireRight(context.caller, 'services:write');
    const before = found(await context.store.domains.get(id));
    requireVersion(before, context);
    refuseProblems([
      patch.domain !== undefined &&
        patch.domain !== before.domain && {
          field: 'domain',
          message: "Domain names can't be changed. Add a new one and delete this one instead.",
        },
    ]);
    // Asking the world takes time, which no transaction may: the row is read again within.
    await requirePossible(domainForm(before, patch), before, context);
    await context.write(async (tx) => {
      const row = found(await tx.domains.get(id));
      if (row.version !== before.version) throw failure.stale();
      // Certificate and access of the console's own domain; what is noted about it is not the console.
      const isNoted = Object.keys(patch).every((name) => name in noteAttributes);
      if (!isNoted) {
        const console = await tx.httpServices.all({ domain: row.domain, builtin: true });
        if (console.length > 0) requireConsoleMovable(context);
      }
      const next = domainForm(row, patch);
      await requireNodes(tx, next);
      if (!row.authentication) {
        refuseProblems([signInWithTlsProblem(next.authentication, await tx.tcpServices.all({ domain: row.domain }))]);
      }
      await tx.domains.update(id, { ...next, cameWithService: false });
      // Who may not come in any more is signed out for good, also when the old list comes back.
      const allowed = next.allowedEmails?.map((email) => email.toLowerCase());
      if (!next.authentication) await tx.visitorSessions.removeOfDomain(id);
      else if (allowed !== undefined) await tx.visitorSessions.removeOfDomain(id, allowed);
      if (publish === true && !next.authentication) {
        for (const service of await tx.httpServices.all({ domain: row.domain, requireAuth: true })) {
          await tx.httpServices.update(service.id, { requireAuth: false });
        }
      }
    });
    return shown(id, context);
  },

  async 'domain.remove'({ params: { id } }, context) {
    return context.write(removed, (sentence) => ({ sentence }));

    async function removed(tx: Transaction): Promise<string> {
      const row = found(await tx.domains.get(id));
      requireVersion(row, context);
      // The console lives on without the domain.
      for (const builtin of await tx.httpServices.all({ domain: row.domain, builtin: true })) {
        requireConsoleMovable(context);
        await tx.httpServices.update(builtin.id, { domain: null });
        await tx.sessions.endInBrowsers('address-changed');
      }
      const where = { domain: row.domain };
      const gone = [...(await tx.httpServices.all(where)), ...(await tx.tcpServices.all(where))];
      await tx.domains.remove(id);
      return `Deleted!${withThem(gone.map(({ name }) => name))}`;
    }
  },
};
