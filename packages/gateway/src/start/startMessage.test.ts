import { expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { publicNameProblem } from './publicAddress.ts';
import { startMessage } from './startMessage.ts';

const parts = {
  config: readConfig({}),
  host: '192.0.2.7',
  dataDirectory: '/data',
  ports: { http: 80, https: 443, console: 9443 },
  fingerprint256: 'AB:CD',
  passwordFile: '/nonexistent',
  unavailable: [],
};

it('names the setting without which other machines cannot join', () => {
  const host = '127.0.0.1';
  const problem = publicNameProblem({ host, source: 'environment' }, { interfaces: {}, defaultDevice: null });
  const text = startMessage({ ...parts, host, unavailable: problem === null ? [] : [problem] });
  expect(text).toMatch(/Off {7}public name: Hosts are told .* Set SALLYPORT_VPN_HOST to the name or address/);
});

it('says which public address was chosen without asking, in a line of its own', () => {
  const chosen = startMessage({ ...parts, addressNotice: 'it is 192.0.2.7' });
  expect(chosen).toMatch(/\n {2}Address {3}it is 192\.0\.2\.7\n/);
  expect(chosen).toMatch(
    /SHA-256 AB:CD\n {12}another address has another one: sudo sallyport-gateway check shows it\n/,
  );
  expect(startMessage(parts)).not.toMatch(/Address|another one/);
});

it('says how to back up what it keeps', () => {
  expect(startMessage(parts)).toContain('in /data; back it up: sudo sallyport-gateway backup FILE\n');
});

it('says why visitors do not arrive on the usual ports', () => {
  const text = startMessage({ ...parts, portsNotice: { reason: 'Taken.', todo: 'Free it', setting: 'A=1' } });
  expect(text).toMatch(/HTTP on port 80\n {12}Taken\. Free it: A=1 npm start\n/);
});
