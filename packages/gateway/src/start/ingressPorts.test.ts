import { describe, expect, it } from 'vitest';
import { chooseIngressPorts, ingressPorts, unusualPorts } from './ingressPorts.ts';
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

it.each([
  ['not json {', '8443'],
  ['99999', '8443'],
  ['7.5', '8443'],
  ['', '8443'],
  ['8080', '0'],
  ['8080', '8080'],
])('chooses again where what is stored was damaged: %s, %s', async (http, https) => {
  const store = openStore(':memory:', () => new Date());
  await store.write(async (tx) => {
    await tx.settings.set('httpPort', http);
    await tx.settings.set('httpsPort', https);
  });
  const choose = async () => ({ http: 8081, https: 8444 });
  expect(await ingressPorts(store, none, choose)).toEqual({ http: 8081, https: 8444 });
  expect(await store.settings.get('httpPort')).toBe('8081');
  await store.close();
});

it('refuses one port for two things', async () => {
  const store = openStore(':memory:', () => new Date());
  await expect(ingressPorts(store, { http: 80, https: 9443, console: 9443 })).rejects.toThrow(/must differ/);
  expect(await store.settings.get('httpsPort')).toBeNull();
  await store.close();
});

describe('chooseIngressPorts', () => {
  const choose = (taken: number[]) => chooseIngressPorts((port) => Promise.resolve(!taken.includes(port)));

  it('takes the well-known pair only whole, then the high one, then the next', async () => {
    expect(await choose([])).toEqual({ http: 80, https: 443 });
    expect(await choose([443])).toEqual({ http: 8080, https: 8443 });
    expect(await choose([80, 8443])).toEqual({ http: 8081, https: 8444 });
    expect(await choose([80, 8080, 8444])).toEqual({ http: 8082, https: 8445 });
  });

  it('gives up with a sentence', async () => {
    await expect(chooseIngressPorts(() => Promise.resolve(false))).rejects.toThrow(/SALLYPORT_HTTP_PORT/);
  });
});

describe('unusualPorts', () => {
  const chosen = { http: 8081, https: 8444 };
  const found = (taken: number[], problem = 'EADDRINUSE') =>
    unusualPorts(chosen, none, async (port) => (taken.includes(port) ? problem : null));

  it('says which port is taken, what that means, and what to do', async () => {
    expect(await found([80])).toEqual({
      reason:
        "80 is another program's, so visitors arrive on 8444 and 8081, and no certificate of Let's Encrypt can be had.",
      todo: 'Free it, set SALLYPORT_HTTP_PORT=80 and SALLYPORT_HTTPS_PORT=443, and start the gateway again',
      setting: 'SALLYPORT_HTTP_PORT=80 SALLYPORT_HTTPS_PORT=443',
    });
    expect((await found([80, 443]))?.reason).toMatch(/^80 and 443 are another program's, so/);
  });

  it('says that they are free by now', async () => {
    expect(await found([])).toMatchObject({
      reason: expect.stringMatching(/^80 and 443 were not free at the first start, so visitors arrive on 8444/),
      todo: expect.stringMatching(/^They are now: set SALLYPORT_HTTP_PORT=80/),
    });
  });

  it('says nothing of ports that are usual or set, nor where only root may listen on the usual ones', async () => {
    const free = async () => null;
    expect(await unusualPorts({ http: 80, https: 443 }, none, free)).toBeNull();
    expect(await unusualPorts(chosen, { http: 8081, https: null }, free)).toBeNull();
    expect(await found([80, 443], 'EACCES')).toBeNull();
  });
});
