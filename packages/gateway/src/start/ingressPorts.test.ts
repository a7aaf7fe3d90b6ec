import { expect, it } from 'vitest';
import { ingressPorts } from './ingressPorts.ts';
import { openStore } from '../store/store.ts';

const none = { http: null, https: null, console: 9443 };

it('chooses once and stays, unless the environment says otherwise', async () => {
  const store = openStore(':memory:', () => new Date());
  const choose = async () => ({ http: 8080, https: 8443 });
  const later = async () => ({ http: 80, https: 443 });
  expect(await ingressPorts(store, none, choose)).toEqual({ http: 8080, https: 8443 });
  expect(await ingressPorts(store, none, later)).toEqual({ http: 8080, https: 8443 });
  expect(await ingressPorts(store, { ...none, https: 4443 }, later)).toEqual({ http: 8080, https: 4443 });
  expect(await ingressPorts(store, none, later)).toEqual({ http: 8080, https: 4443 });
  await store.close();
});

it('refuses one port for two things', async () => {
  const store = openStore(':memory:', () => new Date());
  await expect(ingressPorts(store, { http: 80, https: 9443, console: 9443 })).rejects.toThrow(/must differ/);
  expect(await store.settings.get('httpsPort')).toBeNull();
  await store.close();
});
