import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signedIn } from '../testing/signedIn.ts';

describe('api', () => {
  it('sends any request as the signed-in user and prints the reply as it is', async () => {
    const at = await signedIn();
    const { code, out } = await at.run(['api', 'GET', '/api/nodes?limit=1']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ total: 3, limit: 1 });
    const shown = await at.run(['api', 'GET', '/api/nodes?limit=1'], { terminal: true });
    expect(shown.out).toMatch(/^\{\n {2}"/);
  });

  it('takes a body from standard input or a file, never from the command line', async () => {
    const at = await signedIn();
    const made = await at.run('api POST /api/nodes --data -', { input: '{"name":"attic"}' });
    expect(JSON.parse(made.out)).toMatchObject({ name: 'attic' });
    const file = join(at.shell.configDirectory, 'body.json');
    writeFileSync(file, '{"keepalive":25}');
    const changed = await at.run(['api', 'PATCH', `/api/nodes/${at.ids.edgeId}`, '--data', `@${file}`]);
    expect(JSON.parse(changed.out)).toMatchObject({ keepalive: 25 });
    at.asked.length = 0;
    const typed = await at.run(['api', 'POST', '/api/nodes', '--data', '{"name":"x"}']);
    expect(typed.code).toBe(2);
    expect((await at.run('api POST /api/nodes --data -', { input: '{"name":' })).code).toBe(2);
    expect((await at.run(['api', 'POST', '/api/nodes', '--data', `@${file}.none`])).code).toBe(2);
    expect(at.asked).toEqual([]);
  });

  it('never leads to another server', async () => {
    const at = await signedIn();
    for (const path of [
      '//elsewhere.example.test/',
      '/\\elsewhere.example.test',
      'https://elsewhere.example.test/',
      'x',
    ]) {
      expect((await at.run(['api', 'GET', path])).code).toBe(2);
    }
    expect(at.asked).toEqual([]);
  });

  it.each([
    ['/api/nodes/999', 5],
    ['/api/nothing', 5],
    ['/api/nodes?limit=x', 2],
  ])('ends for %s as every command does', async (path, code) => {
    const at = await signedIn();
    const ended = await at.run(['api', 'GET', path]);
    expect({ code: ended.code, out: ended.out }).toEqual({ code, out: '' });
    expect(ended.err).toMatch(/^sallyport: .+\n$/);
  });

  it('streams until it is interrupted', async () => {
    const at = await signedIn();
    const stop = new AbortController();
    const { code, out } = await at.run(['api', 'GET', '/api/nodes/stream'], {
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    expect(out).toContain('data: ');
    expect(code).toBe(130);
  });
});
