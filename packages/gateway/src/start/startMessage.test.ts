import { expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { publicNameProblem } from './hostNames.ts';
import { startMessage } from './startMessage.ts';

it('names the setting without which other machines cannot join', () => {
  const config = readConfig({ SALLYPORT_VPN_HOST: '127.0.0.1' });
  const problem = publicNameProblem(config.vpn, '192.0.2.7');
  const text = startMessage({
    config,
    dataDirectory: '/data',
    ports: { http: 80, https: 443, console: 9443 },
    fingerprint256: 'AB:CD',
    passwordFile: '/nonexistent',
    unavailable: problem === null ? [] : [problem],
  });
  expect(text).toMatch(/Off {7}public name: Hosts are told .* Set SALLYPORT_VPN_HOST to .*192\.0\.2\.7/);
});
