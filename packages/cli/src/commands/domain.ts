import { dnsStateLabels, domain, domainDefaults, domainInput, domainPatch, domainQuery } from '@sallyport/sdk/contract';
import { dnsRecordText } from '@sallyport/sdk/rules';
import * as z from 'zod/mini';
import { command } from '../context.ts';
import { Failure } from '../failure.ts';
import { findDomain, whichDomain } from '../find.ts';
import { domainColumns } from '../ui/columns.ts';
import { allFlag, checkAll, pageHelp, printThing, showPage, tagHelp } from '../ui/show.ts';
import { changesOf, confirm, contractHelp, yesFlag } from '../ui/write.ts';

export const list = command({
  description:
    'List the domains. Piped it is one line a domain, with tabs between: id, name, certificate, authentication (yes or no), problem, where its DNS leads.',
  flags: z.strictObject({ ...domainQuery.shape, ...allFlag }),
  help: { ...pageHelp, ...tagHelp, search: { text: 'only domains whose name, tags or notes contain this' } },
  examples: ['sallyport domain list', 'sallyport domain list --search example.com --json'],
  async run(context, { all, ...query }) {
    checkAll({ all, ...query });
    const page = await (await context.client()).domain.list({ query }, { signal: context.signal });
    await showPage(context, domainColumns, page, 'domains');
  },
});

export const show = command({
  description: 'Show everything about a domain.',
  flags: z.strictObject(whichDomain.flags),
  words: ['domain'],
  help: whichDomain.help,
  examples: [
    'sallyport domain show app.example.com',
    'sallyport domain show app.example.com --json | jq -r .data.problem',
  ],
  async run(context, { domain: which }) {
    await printThing(context, await findDomain(context, which));
  },
});

export const dns = command({
  description:
    'Look up where the name of a domain leads, and say where it should and which records to enter at the DNS provider: the CNAME record, or, where there is none and at the top of a zone, all others. Ends with 1 unless it leads to the gateway alone.',
  flags: z.strictObject(whichDomain.flags),
  words: ['domain'],
  help: whichDomain.help,
  examples: [
    'sallyport domain dns app.example.com',
    'until sallyport domain dns app.example.com --quiet; do sleep 60; done',
  ],
  async run(context, { domain: which }) {
    const { id } = await findDomain(context, which);
    const found = await (await context.client()).domain.dns({ params: { id } }, { signal: context.signal });
    const records = found.records.map(dnsRecordText);
    await printThing(context, context.globals.json ? found : { ...found, records });
    if (found.state !== 'here') {
      throw new Failure('failed', `DNS of ${found.domain}: ${dnsStateLabels[found.state].toLowerCase()}.`);
    }
  },
});

export const create = command({
  description: 'Add a domain. Unless validation is skipped it must point to the gateway.',
  flags: domainInput,
  words: ['domain'],
  get help() {
    return contractHelp(
      domainInput,
      domain,
      { domain: { text: 'the name of the domain', value: 'name' } },
      domainDefaults,
    );
  },
  examples: [
    'sallyport domain create app.example.com --ssl certbot',
    'sallyport domain create app.example.com --skip-validation',
    'sallyport domain create app.example.com --authentication --allowed-emails a@example.com,b@example.com',
  ],
  async run(context, body) {
    const client = await context.client();
    await printThing(context, await client.domain.create({ body }, { signal: context.signal }));
  },
});

// The name of a domain cannot be changed; here it says which one is meant.
const editFlags = z.extend(z.omit(domainPatch, { id: true, domain: true }), whichDomain.flags);

export const edit = command({
  description:
    'Change a domain. What is not given stays as it is; an empty value takes one away. When authentication is turned off, its protected services answer 503 unless --publish says that everybody may see them.',
  flags: editFlags,
  words: ['domain'],
  get help() {
    return contractHelp(editFlags, domain, {
      ...whichDomain.help,
      publish: { text: 'with --no-authentication: everybody may see what was protected' },
    });
  },
  examples: [
    'sallyport domain edit app.example.com --ssl certbot',
    "sallyport domain edit app.example.com --allowed-emails ''",
  ],
  async run(context, { domain: which, ...given }) {
    const body = changesOf(given);
    const { id, version } = await findDomain(context, which);
    const client = await context.client();
    const options = { signal: context.signal, ifMatch: version };
    await printThing(context, await client.domain.update({ params: { id }, body }, options));
  },
});

export const remove = command({
  description: 'Delete a domain and the services that are reached by it.',
  flags: z.strictObject({ ...whichDomain.flags, ...yesFlag.flags }),
  words: ['domain'],
  help: { ...whichDomain.help, ...yesFlag.help },
  examples: ['sallyport domain delete app.example.com --yes'],
  async run(context, { domain: which, yes }) {
    const { id, domain: name, version } = await findDomain(context, which);
    await confirm(context, yes, `delete domain "${name}" and the services that are reached by it`);
    const client = await context.client();
    await client.domain.remove({ params: { id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Deleted domain "${name}".`);
    await context.io.answer({ deleted: { id, name } });
  },
});
