/**
 * By which proxies tell a backend who the visitor is, product by product. A backend that was set up for one of them
 * believes every sender, so none may come from a visitor. Where a product has a family of names, those that its
 * documentation names are here: nginx knows no wildcard. With underscores in place of dashes nginx drops them anyway.
 */
const BY_PRODUCT = {
  // https://oauth2-proxy.github.io/oauth2-proxy/configuration/overview (pass-user-headers, set-xauthrequest)
  oauth2Proxy: [
    ...['User', 'Email', 'Groups', 'Preferred-Username', 'Access-Token', 'Id-Token'].map(
      (name) => `X-Forwarded-${name}`,
    ),
    ...['User', 'Email', 'Groups', 'Preferred-Username', 'Access-Token', 'User-Id', 'Redirect', 'Roles', 'Name'].map(
      (name) => `X-Auth-Request-${name}`,
    ),
    'X-Access-Token',
    'X-Id-Token',
    'X-User',
    'X-Email',
    'GAP-Auth',
  ],
  // https://www.authelia.com/integration/trusted-header-sso/introduction/
  authelia: ['Remote-User', 'Remote-Groups', 'Remote-Email', 'Remote-Name'],
  // https://docs.goauthentik.io/docs/add-secure-apps/providers/proxy/
  authentik: [
    ...['username', 'groups', 'entitlements', 'email', 'name', 'uid', 'jwt', 'meta-jwks', 'meta-outpost'].map(
      (name) => `X-authentik-${name}`,
    ),
    ...['meta-provider', 'meta-app', 'meta-version'].map((name) => `X-authentik-${name}`),
  ],
  // https://httpd.apache.org/docs/2.4/mod/mod_ssl.html and the names that reverse proxies give REMOTE_USER
  remoteUser: ['X-Remote-User', 'X-Remote-Group', 'X-Remote-Groups', 'X-Remote-Email', 'X-Remote-Name', 'X-Proxy-User'],
  // https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
  kubernetes: ['X-Remote-Uid', 'X-Remote-Extra-Scopes', 'Impersonate-User', 'Impersonate-Group', 'Impersonate-Uid'],
  // https://grafana.com/docs/grafana/latest/setup-grafana/configure-access/configure-authentication/auth-proxy/
  grafana: [
    'X-WEBAUTH-USER',
    'X-WEBAUTH-EMAIL',
    'X-WEBAUTH-NAME',
    'X-WEBAUTH-FULLNAME',
    'X-WEBAUTH-GROUPS',
    'X-WEBAUTH-ROLE',
  ],
  // https://developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json/
  cloudflare: [
    'Cf-Access-Authenticated-User-Email',
    'Cf-Access-Jwt-Assertion',
    'Cf-Access-Client-Id',
    'Cf-Access-Client-Secret',
    'CF-Connecting-IP',
    'CF-Connecting-IPv6',
    'CF-Pseudo-IPv4',
    'CF-Visitor',
    'CF-IPCountry',
  ],
  // https://tailscale.com/kb/1312/serve#identity-headers
  tailscale: ['Login', 'Name', 'Profile-Pic']
    .map((name) => `Tailscale-User-${name}`)
    .concat(['Tailscale-Headers-Info', 'Tailscale-App-Capabilities']),
  // https://cloud.google.com/iap/docs/identity-howto
  google: ['X-Goog-Authenticated-User-Email', 'X-Goog-Authenticated-User-Id', 'X-Goog-IAP-JWT-Assertion'],
  // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/listener-authenticate-users.html and mutual-authentication
  aws: [
    'X-Amzn-Oidc-Data',
    'X-Amzn-Oidc-Identity',
    'X-Amzn-Oidc-Accesstoken',
    ...['', '-Serial-Number', '-Issuer', '-Subject', '-Validity', '-Leaf'].map(
      (name) => `X-Amzn-Mtls-Clientcert${name}`,
    ),
  ],
  // https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities
  azure: [
    'X-MS-CLIENT-PRINCIPAL',
    'X-MS-CLIENT-PRINCIPAL-ID',
    'X-MS-CLIENT-PRINCIPAL-NAME',
    'X-MS-CLIENT-PRINCIPAL-IDP',
    'X-MS-TOKEN-AAD-ID-TOKEN',
    'X-MS-TOKEN-AAD-ACCESS-TOKEN',
    'X-ARR-ClientCert',
  ],
  // https://www.pomerium.com/docs/reference/pass-identity-headers
  pomerium: ['X-Pomerium-Jwt-Assertion', 'X-Pomerium-Claim-Email', 'X-Pomerium-Claim-Groups', 'X-Pomerium-Claim-User'],
  // https://goteleport.com/docs/enroll-resources/application-access/jwt/introduction/
  teleport: ['Teleport-Jwt-Assertion', 'X-Teleport-Username', 'X-Teleport-Roles'],
  // https://github.com/thomseddon/traefik-forward-auth and https://vouch.github.io
  forwardAuth: ['X-Auth-User', 'X-Auth-Email', 'X-Auth-Username', 'X-Auth-Groups', 'X-Auth-Name', 'X-Vouch-User'],
  // https://nginx.org/en/docs/http/ngx_http_ssl_module.html#variables, as ingress-nginx and HAProxy name them
  clientCertificate: [
    'SSL-Client-Cert',
    'SSL-Client-Verify',
    'SSL-Client-Subject-DN',
    'SSL-Client-Issuer-DN',
    'SSL-Client-S-DN',
    'SSL-Client-I-DN',
    'SSL-Client-Serial',
    'SSL-Client-Fingerprint',
    'SSL-Client-SHA1',
    ...[
      'Cert',
      'Verify',
      'DN',
      'CN',
      'SHA1',
      'Serial',
      'NotBefore',
      'NotAfter',
      'S-DN',
      'I-DN',
      'Subject',
      'Subject-DN',
    ].map((name) => `X-SSL-Client-${name}`),
    'X-SSL-Client-Issuer',
    'X-SSL-Client-Issuer-DN',
    'X-SSL-Client-Fingerprint',
    'X-SSL-Issuer',
    'X-SSL-Cert',
    'X-Client-Cert',
    'X-Client-Cert-Chain',
    'X-Client-Cert-DN',
    'X-Client-Cert-Verify',
    'X-Client-Certificate',
    // RFC 9440
    'Client-Cert',
    'Client-Cert-Chain',
    // https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers and Traefik
    'X-Forwarded-Client-Cert',
    'X-Forwarded-Tls-Client-Cert',
    'X-Forwarded-Tls-Client-Cert-Info',
  ],
  // By which content delivery networks and load balancers name the visitor's address.
  address: [
    'Client-IP',
    'X-Client-IP',
    'X-Cluster-Client-IP',
    'True-Client-IP',
    'Fastly-Client-IP',
    'X-Remote-Addr',
    'X-Remote-IP',
    'X-Originating-IP',
    'X-ProxyUser-IP',
    'X-Envoy-External-Address',
    'X-Azure-ClientIP',
    'X-Azure-SocketIP',
    'Fly-Client-IP',
  ],
} satisfies Record<string, readonly string[]>;

/** All of them, each once, as the names are compared: without regard to case. */
export const IDENTITY_HEADERS: readonly string[] = [
  ...new Map(
    Object.values(BY_PRODUCT)
      .flat()
      .map((name) => [name.toLowerCase(), name]),
  ).values(),
];
