import { expect, it } from 'vitest';
import { renderNginx } from './nginx.ts';
import { consoleService, domain, renderOptions as options, service, stateOf } from '../../testing/desiredStates.ts';

it('says nothing of proxies in front unless there are some', () => {
  const state = {
    ...stateOf(service(2), consoleService()),
    domains: [domain(7, 'app.example.test', { signIn: true })],
  };
  const textWith = (more: Partial<typeof options>): string =>
    renderNginx(state, { ...options, ...more })
      .files.map(({ text }) => text)
      .join('\n');
  const ofProxies = /real_?ip|trusted_proxy|visited_by|visited_port_number|mapped_ipv4/;
  expect(textWith({})).not.toMatch(ofProxies);
  expect(textWith({ trustedProxies: ['192.0.2.10/32'] })).toMatch(ofProxies);
  // Where a router has another port, plain HTTP leads there, backends are told of it, and nothing else changes.
  const routed = textWith({ publicHttpsPort: 8443 })
    .replaceAll('https://$redirect_host:8443$', 'https://$redirect_host$')
    .replace('"~^:8443:"', '"~^:443:"');
  expect(routed).toBe(textWith({}));
});
