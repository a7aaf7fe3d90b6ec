import * as z from 'zod/mini';
import { attribute, factsOf, givenOf, initialsOf } from './attribute.ts';
import { dnsFacts, domainDns } from './domainDns.ts';
import { call } from './endpoint.ts';
import { described, findings, idOf, optionalFact, rule, stored } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { noteAttributes, tagFilter } from './notes.ts';
import { listQuery, pageOf } from './paging.ts';

/** Where a domain's certificate comes from; shown as "Self Signed" and "Let's Encrypt". */
export const sslKinds = ['self-signed', 'certbot'] as const;
export type SslKind = (typeof sslKinds)[number];

/** What an administrator says about a domain; a line is a field. */
export const domainAttributes = {
  domain: attribute.required(field.domainName, 'Its name.'),
  ssl: attribute.initially('self-signed', field.oneOf(sslKinds), 'Where its certificate comes from.'),
  skipValidation: attribute.initially(false, field.boolean, 'Do not check that the name points to this gateway.'),
  authentication: attribute.initially(false, field.boolean, 'Visitors may be asked to sign in (OAuth2).'),
  allowedEmails: attribute.optional(
    field.listOf(field.email),
    'Of those who sign in, only these e-mail addresses are let in; none: everybody.',
  ),
  hsts: attribute.initially(
    true,
    field.boolean,
    'Tell browsers to come by HTTPS alone (HSTS), for as long as the domain has a trusted certificate.',
  ),
  reserved: attribute.initially(
    true,
    field.boolean,
    "It is the administrator's: access tokens of nodes may use it only where `allowedNodes`, or the node, says so.",
  ),
  allowedNodes: attribute.optional(
    field.idList,
    'The nodes, by id, whose access tokens may use it for services of theirs.',
  ),
  ...noteAttributes,
};

/** Where a domain is, seen from outside. */
const addressFacts = {
  publicAccess: described(optionalFact(z.string()), 'Where visitors reach it, with the port unless that is 443.'),
};

/** How a domain's certificate is. One that is on its way is no problem yet. */
const certificateFacts = {
  pending: described(
    optionalFact(z.string()),
    'What is on its way, and what visitors get meanwhile, in a sentence; null when nothing is.',
  ),
  certificateEndsAt: described(
    optionalFact(z.string()),
    'When its certificate ends, ISO 8601, UTC; it is replaced in time by itself. Null while there is none of the kind that is wanted.',
  ),
};

/** A public domain name that the gateway answers for. */
export const domain = z.object({
  ...stored,
  ...factsOf(domainAttributes),
  ...findings,
  ...addressFacts,
  ...certificateFacts,
  ...dnsFacts,
});
export type Domain = z.output<typeof domain>;

/** The fields of the domain form, without the rules that join them. */
const domainShape = field.object(givenOf(domainAttributes));

/**
 * A new domain: without validation only a self-signed certificate can be had; allowed e-mails need authentication.
 */
export const domainInput = domainShape.check(
  rule<z.output<typeof domainShape>>(({ ssl, skipValidation, authentication, allowedEmails }) => [
    skipValidation === true && ssl === 'certbot' && { field: 'ssl', message: message.oneOf(['self-signed']) },
    authentication !== true &&
      Boolean(allowedEmails?.length) && {
        field: 'allowedEmails',
        message: message.arrayMax(0),
      },
  ]),
);
/** What a caller gives for a new domain. */
export type DomainInput = z.input<typeof domainInput>;

/** A change of a domain: what is left out stays as it is. The name itself cannot be changed. */
export const domainPatch = z.extend(z.partial(domainShape), {
  id: z.optional(idOf('the domain')),
  publish: z.optional(
    described(field.boolean, 'Open its protected services to everybody with the sign-in turned off.'),
  ),
});

/** What a new domain starts with. */
export const domainDefaults = initialsOf(domainAttributes);

const params = z.object({ id: idOf('the domain') }, { error: message.object });

/** The query of the domains list. */
export const domainQuery = field.object({ ...listQuery(['id', 'domain', 'ssl', 'created_at']), ...tagFilter });
export type DomainQuery = z.output<typeof domainQuery>;

/** The calls about domains. */
export const domainEndpoints = {
  list: call('GET', '/api/domains', 'Lists the domains.', {
    rights: ['domains:read'],
    query: domainQuery,
    reply: pageOf(domain),
    paged: true,
  }),
  get: call('GET', '/api/domains/{id}', 'Reads a domain.', { rights: ['domains:read'], params, reply: domain }),
  dns: call(
    'GET',
    '/api/domains/{id}/dns',
    'Looks up where the name leads, at most every five seconds, and says where it should.',
    { rights: ['domains:read'], params, reply: domainDns },
  ),
  create: call('POST', '/api/domains', 'Adds a domain; unless validation is skipped it must point to this gateway.', {
    rights: ['domains:write'],
    body: domainInput,
    reply: domain,
  }),
  update: call(
    'PATCH',
    '/api/domains/{id}',
    'Changes a domain. `skipValidation: true` alone makes its certificate self-signed, `ssl: certbot` alone turns validation on. When authentication is turned off its protected services answer 503, unless `publish` is true.',
    { rights: ['domains:write'], params, body: domainPatch, reply: domain },
  ),
  remove: call('DELETE', '/api/domains/{id}', 'Deletes a domain and the services that are reached by it.', {
    // With its services.
    rights: ['domains:write', 'services:write'],
    params,
    reply: z.string(),
  }),
} as const;
