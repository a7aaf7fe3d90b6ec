import { beforeEach, describe, expect, it } from 'vitest';
import { signedIn } from '../testing/signedIn.ts';

let at: Awaited<ReturnType<typeof signedIn>>;
beforeEach(async () => {
  at = await signedIn();
});

const cells = (out: string) =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'));
const fieldsOf = (out: string) => Object.fromEntries(cells(out)) as Record<string, string>;

describe('tags and notes', () => {
  it('are said of a node, a domain and a service, shown, and lists are filtered by tags', async () => {
    const notes = ['--notes', 'Behind the garage.\nAsk Ada.'];
    await at.run(['node', 'edit', 'edge', '--tag', 'Home', '--tag', 'عام,👩‍🚀', ...notes]);
    await at.run('node edit site --tags home');
    await at.run(['domain', 'create', 'new.example.test', '--skip-validation', '--tag', 'home']);
    await at.run([
      'service',
      'create',
      'tcp',
      'ssh',
      '--node',
      'edge',
      '--backend-port',
      '22',
      '--tag',
      'home',
      ...notes,
    ]);
    const tags = ['Home', 'عام', '👩‍🚀'];
    expect(await at.json('node show edge')).toMatchObject({ tags, notes: notes[1] });
    const shown = await at.run('node show edge --no-color', { terminal: true });
    expect(shown.out).toMatch(/^notes +Behind the garage\.\n +Ask Ada\.$/m);
    expect(fieldsOf((await at.run('node show edge')).out)['notes']).toBe(String.raw`Behind the garage.\x0aAsk Ada.`);
    const names = async (line: string) => cells((await at.run(line)).out).map(([, name]) => name);
    expect(await names('node list --tag HOME')).toEqual(['edge', 'site']);
    expect(await names('node list --tag home --tag عام')).toEqual(['edge']);
    expect(await names('domain list --tag home')).toEqual(['new.example.test']);
    expect(await names('service list --tag home')).toEqual(['ssh']);
    expect(await names('service list --search garage')).toEqual(['ssh']);
    await at.run(['node', 'edit', 'edge', '--tag', '', '--notes', '']);
    expect(await at.json('node show edge')).toMatchObject({ tags: [], notes: null });
  });

  it('narrow a list down ten at a time', async () => {
    const { code, err } = await at.run(['node', 'list', '--tag', '1,2,3,4,5,6', '--tag', '7,8,9,10,11']);
    expect(code).toBe(2);
    expect(err).toMatch(/^sallyport: --tag .*10 items/);
  });

  it('are refused by the name of their flag', async () => {
    const { code, err } = await at.run(['node', 'edit', 'edge', '--tag', 'x'.repeat(41)]);
    expect(code).toBe(2);
    expect(err).toMatch(/^sallyport: --tags .*40 characters/);
  });
});
