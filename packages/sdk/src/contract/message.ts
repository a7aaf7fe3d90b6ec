/** With this begins what is said of a domain whose name was checked in vain. */
export const DOMAIN_UNVERIFIED = 'Domain verification failed.';

/**
 * The exact wording of every validation message, which forms, CLI and gateway share. `{key}` stands for the quoted name
 * of the field and is filled in by `problemsOf`.
 */
export const message = {
  required: 'This field is required',
  empty: 'This field is not allowed to be empty',
  string: 'This field must be a valid string',
  email: 'This field must be a valid email',
  domain: 'This field must contain a valid domain name',
  httpsAddress: 'This field must be an https address',
  boolean: 'This field must be a boolean',
  number: 'This field must be a number',
  integer: 'This field must be an integer',
  date: 'This field must be a valid date',
  array: 'This field must be an array',
  object: 'This field must be of type object',
  oneLine: 'This field must be one line without control characters or marks that change the direction of text',
  severalLines: 'This field must be text without control characters or marks that change the direction of text',
  noComma: 'This field must not contain a comma',
  invalid: 'This field contains an invalid value',
  minLength: (count: number) => `This field must be at least ${count} characters long`,
  maxLength: (count: number) => `This field must be less than or equal to ${count} characters long`,
  min: (limit: number | string) => `This field must be greater than or equal to ${limit}`,
  max: (limit: number | string) => `This field must be less than or equal to ${limit}`,
  oneOf: (options: readonly string[]) =>
    options.length === 1 ? `This field must be [${options[0]}]` : `This field must be one of [${options.join(', ')}]`,
  unknown: (key: string) => `"${key}" is not allowed`,
  more: (count: number) => `There are more problems than these ${count}`,
  port: '{key} must be a valid port',
  ipList: '{key} must be one or more ip addresses separated by a comma or a space',
  ip: '{key} must be a valid ip address with a optional CIDR',
  cidr: '{key} must be a valid ip address with a required CIDR',
  ipv4: '{key} must be a valid ip address of one of the following versions [ipv4] with a forbidden CIDR',
  duplicate: '{key} contains a duplicate value',
  arrayMax: (count: number) => `{key} must contain less than or equal to ${count} items`,
  domainOrPath: '"value" must contain at least one of [domain, pathLocation]',
  path: 'Path Location must be an absolute URL path containing only letters, numbers, "/", ".", "_", "~", and "-"',
  reservedPath: "Paths below /.sallyport are the gateway's own. Choose another path.",
  ttl: 'TTL must be a string like "30s", "10m", "2h", "1d"',
  sslOverUdp: 'TLS can be terminated for TCP only',
  sslWithSignIn:
    'Visitors sign in to this domain, and browsers would send their session to this port, too. Turn TLS off or choose another domain',
  noDomainRights: 'Domains belong to no node: a token that is limited to some nodes has no rights for them',
  domainElsewhere: `${DOMAIN_UNVERIFIED} The domain does not point to Sallyport host.`,
  domainNotYours:
    'This node may not use this domain. Choose another one, or ask the administrator to allow the node to use it.',
  authenticationOff: 'Authentication is not enabled for this domain',
} as const;
