import { expect, it } from 'vitest';
import { signedIn } from './testing/signedIn.ts';

it('says which service has the address or the port that another one was to have, and what to do', async () => {
  const at = await signedIn();
  const more = 'service create http more --node Local --backend-host 192.0.2.7 --backend-port 80';
  const refused = async (line: string) => {
    const { code, err } = await at.run(line);
    return { code, said: err.split('\n').find((each) => each.startsWith('sallyport:')) };
  };
  const { id } = (await at.gateway.store.httpServices.all({ domain: 'app.example.test' }))[0] ?? { id: 0 };
  const taken = {
    code: 2,
    said: `sallyport: The path / of app.example.test is taken by the service "App" (${id}). Give another --path-location or --domain, or change that one: \`sallyport service edit ${id}\`.`,
  };
  expect(await refused(`${more} --domain app.example.test`)).toEqual(taken);
  expect((await at.run(`${more} --domain new.example.test`)).code).toBe(0);
  expect(await refused('service edit more --domain app.example.test')).toEqual(taken);

  const port = 'service create tcp first --node Local --backend-host 192.0.2.7 --backend-port 22 --port 20777';
  expect((await at.run(port)).code).toBe(0);
  const [first] = await at.gateway.store.tcpServices.all({ port: 20_777 });
  expect(await refused(port.replace('first', 'second'))).toEqual({
    code: 2,
    said: `sallyport: The port 20777 is taken by the service "first" (${first?.id}). Give another --port or none, or change that one: \`sallyport service edit ${first?.id}\`.`,
  });
});
