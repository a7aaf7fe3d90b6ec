import { expect, it } from 'vitest';
import { commandsOf } from './commands.ts';

it.each([
  ['package', 'sudo sallyport-gateway check', /^sudoedit \/etc\/sallyport\/gateway\.env && sudo systemctl /],
  ['container', 'docker compose exec gateway sallyport-gateway check', /compose\.yaml && docker compose up /],
  ['source', 'node packages/gateway/dist/main.js check', /^SALLYPORT_VPN_HOST=NAME npm start$/],
] as const)('names what there is where the gateway came as %s', (installation, check, setting) => {
  const { run, setting: set, ...others } = commandsOf[installation];
  expect(run('check')).toBe(check);
  expect(set('SALLYPORT_VPN_HOST=NAME')).toMatch(setting);
  if (installation === 'package') return;
  expect([others.start, others.log, others.again(7)].join()).not.toMatch(/systemctl|journalctl/);
});
