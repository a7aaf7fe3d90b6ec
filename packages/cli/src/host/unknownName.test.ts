import { expect, it } from 'vitest';
import { testHost } from '../testing/testHost.ts';
import { unknownName } from './unknownName.ts';

it('is said where a service is exposed by a domain that has no address yet', async () => {
  const { login, machine, run } = await testHost();
  expect((await login()).code).toBe(0);
  machine.unknownNames.add('app.example.test');
  const argv = ['http', 'web', '--port', '8080', '--domain', 'app.example.test'];
  const { code, err } = await run(argv);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining('This host finds no address for app.example.test yet: make a DNS record'),
  });
  expect(err).toContain('`sallyport domain dns app.example.test`');
  expect((await run(['http', 'other', '--port', '8080', '--path', '/x'])).err).not.toContain('no address');
  machine.unknownNames.clear();
  expect((await run(argv)).err).not.toContain('no address');
});

it('is said of nothing but a domain: it names a command', async () => {
  const resolves = async () => false;
  expect(await unknownName({ resolves }, 'app.example.test')).toContain('app.example.test');
  expect(await unknownName({ resolves }, 'x; touch /pwned; #')).toBeNull();
  expect(await unknownName({ resolves }, null)).toBeNull();
});
