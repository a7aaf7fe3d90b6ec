import { existsSync, writeFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL_URL, testHost } from '../testing/testHost.ts';

let at: Awaited<ReturnType<typeof testHost>>;
beforeEach(async () => {
  at = await testHost();
});

async function newCode(body: object = {}): Promise<string> {
  const reply = await at.gateway.fetch('/api/join-keys', {
    method: 'POST',
    headers: { authorization: `Bearer ${await at.gateway.signIn()}` },
    body: JSON.stringify({ name: 'racks', ...body }),
  });
  return ((await reply.json()) as { code: string }).code;
}
const nodes = async () => (await at.gateway.store.nodes.all()).filter(({ isLocal }) => !isLocal);
const withFile = (code: string): string[] => {
  const file = joinPath(at.configDirectory, '..', 'code');
  writeFileSync(file, `${code}\n`);
  return ['join', '--url', LOCAL_URL, '--code-file', file];
};

describe('join', () => {
  it('makes this host a node by a code that is asked for, and never shows it', async () => {
    const code = await newCode();
    const answers = [['Code that the gateway shows: ', `${code.toLowerCase()}\r`]] as const;
    const { code: ended, out, err } = await at.run(['join', '--url', LOCAL_URL], { terminal: true, answers });
    expect({ ended, err }).toMatchObject({ ended: 0 });
    expect(`${out}${err}`.toUpperCase()).not.toContain(code);
    expect(await nodes()).toMatchObject([{ name: 'web-1', isGateway: false }]);
    expect(at.stored()).toMatchObject({ url: LOCAL_URL, token: expect.stringMatching(/^spn_/), connected: true });
    expect(at.machine.up.get('sallyport')).toContain('Address = 10.88.0.2/32');
  });

  describe('asks again', () => {
    const PROMPT = 'Code that the gateway shows: ';

    it.each([
      ['a code that was wrong', '0000-0000-0000-0000', 'The gateway does not know this code. Look at it again.', 4],
      ['nothing', '', 'No code was entered.', 2],
      ['something else, like the line itself', 'curl -fsSk '.repeat(20), 'What was given is no code.', 2],
    ])('where %s was entered, three times in all', async (_, entered, said, code) => {
      const wrong = `${entered}\r`;
      const join = (...typed: string[]) => {
        const again = `\nsallyport: ${said}\n${PROMPT}`;
        const answers = typed.map((each, times) => [PROMPT + again.repeat(times), each] as const);
        return at.run(['join', '--url', LOCAL_URL], { terminal: true, answers });
      };
      const ended = await join(wrong, wrong, wrong);
      expect(ended.code).toBe(code);
      expect(ended.err.split(PROMPT)).toHaveLength(4);
      expect(ended.err).toMatch(new RegExp(`${said} (?:An administrator makes another one|The console shows it)`));
      expect((await join(wrong, wrong, `${await newCode()}\r`)).code).toBe(0);
      expect(await nodes()).toHaveLength(1);
    });
  });

  it('takes the code from a file, and answers in JSON without the token', async () => {
    const { code, out } = await at.run([...withFile(await newCode()), '--name', 'web-9', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      version: 1,
      url: LOCAL_URL,
      id: 2,
      name: 'web-9',
      address: '10.88.0.2',
      isConnected: true,
    });
  });

  it('says the network behind it where the code is for a gateway', async () => {
    expect((await at.run([...withFile(await newCode({ isGateway: true })), '--subnet', '192.168.50.0/24'])).code).toBe(
      0,
    );
    expect(await nodes()).toMatchObject([
      { isGateway: true, gatewayNetworks: [{ interface: 'eth0', subnet: '192.168.50.0/24' }] },
    ]);
  });

  it.each([
    [{ SUDO_USER: 'anna' }, 'sudo sallyport'],
    [{}, 'sallyport'],
  ])('names the next command as the user has to run it: %j', async (env, program) => {
    expect((await at.run(withFile(await newCode()), { env })).err).toContain(
      `Expose a web server with \`${program} http NAME --port PORT\`.`,
    );
    expect((await at.run(['enable', 'http', 'web'], { env })).err).toContain(
      `Expose one with \`${program} http NAME --port PORT\`.`,
    );
  });

  it('asks again with the same claim where the answer was lost, and makes one node', async () => {
    let lost = 0;
    at.answer = async (request) => {
      const reply = await at.gateway.fetch(request);
      if (!request.url.endsWith('/api/join') || lost > 0) return reply;
      lost += 1;
      throw new TypeError('fetch failed');
    };
    expect((await at.run(withFile(await newCode()))).code).toBe(0);
    expect(lost).toBe(1);
    expect(await nodes()).toHaveLength(1);
  });

  it('refuses a code that is wrong or used, and leaves the host as it was', async () => {
    const { code, err } = await at.run(withFile('0000-0000-0000-0000'));
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('does not know this code') });
    expect(existsSync(at.hostFile)).toBe(false);
    const used = await newCode();
    expect((await at.run(withFile(used))).code).toBe(0);
    const again = await at.run([...withFile(used), '--force', '--name', 'web-2']);
    expect({ code: again.code, err: again.err }).toEqual({ code: 4, err: expect.stringContaining('was used already') });
    expect(at.stored().connected).toBe(true);
  });

  it.each([
    ['join', '`| sudo sh -s -- --name NAME`'],
    ['login', '--name NAME'],
  ])('says how to choose another name where a node has that of this host: %s', async (way, how) => {
    // The gateway does not tell names by their case.
    const named = ['--name', 'WEB-1'];
    expect((await at.login(['--operator'])).code).toBe(0);
    await at.run(['node', 'create', 'web-1']);
    const line = withFile(await newCode());
    const refused = way === 'join' ? await at.run([...line, ...named]) : await at.login(named);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('has a node "WEB-1" already') });
    expect(refused.err).toContain(how);
    expect((await at.run([...line, '--name', 'web-2'])).code).toBe(0);
  });

  it('says of a name that the code does not allow which it does, and how to give it', async () => {
    const { code, err } = await at.run(withFile(await newCode({ reusable: true, namePattern: 'db-*' })));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('db-*') });
    expect(err).toContain('--name NAME');
  });

  it('replaces no node of another gateway unless it is told to', async () => {
    expect((await at.login()).code).toBe(0);
    const { code, err } = await at.run(withFile(await newCode()));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('Give --force to replace that') });
    expect(err).toContain('`| sudo sh -s -- --force`');
  });
});

it('join-key says so where the gateway knows no address that leads a host to it', async () => {
  expect((await at.login(['--operator'])).code).toBe(0);
  at.answer = async (request) => {
    const reply = await at.gateway.fetch(request);
    if (!request.url.endsWith('/api/join-keys')) return reply;
    return Response.json({ ...((await reply.json()) as object), command: null });
  };
  const { err, out } = await at.run(['join-key', 'create', 'racks']);
  expect(err).toMatch(/There is no line for the host yet: .*\nEnter that in the console under Settings/);
  expect(err).not.toMatch(/null|Run this/);
  expect(out).toMatch(/^(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}\n$/);
});

it('join-key prints the code alone on standard output, and the line for the host next to it', async () => {
  expect((await at.login(['--operator'])).code).toBe(0);
  const made = await at.run(['join-key', 'create', 'racks', '--reusable', '--name-pattern', 'web-*']);
  expect(made.out).toMatch(/^(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}\n$/);
  expect(made.err).toMatch(/curl -fsSk --pinnedpubkey 'sha256\/\/\S+' https:\/\/\S+\/join \| sudo sh/);
  expect(made.err).toContain('(as root without sudo, end it with `| sh`)');
  expect((await at.run(['join-key', 'list'])).out).toMatch(/^1\tracks\tnodes web-\*\t0\t\S+Z\n$/);
  await at.run(['node', 'create', 'office']);
  await at.run(['join-key', 'create', 'one', '--node', 'office']);
  expect((await at.run(['join-key', 'list'])).out).toMatch(/\tone\tnode office\t/);
  expect((await at.run(['join-key', 'delete', 'racks', '--yes'])).code).toBe(0);
  expect((await at.run(withFile(made.out.trim()))).code).toBe(4);
});
