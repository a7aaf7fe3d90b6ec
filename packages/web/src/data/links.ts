/**
 * Every target outside of the console's own pages. The documentation is served by the gateway itself, so that it also
 * opens where there is no internet.
 */
export const links = {
  documentation: '/docs/',
  source: '/docs/source',
  contact: '/docs/contact',
  sponsor: '/docs/sponsor',
  terms: '/docs/terms',
  cli: '/docs/cli',
  dockerGateway: '/docs/guides/docker',
  kubernetesGateway: '/docs/guides/kubernetes',
  homeAssistant: '/docs/guides/home-assistant',
} as const;
