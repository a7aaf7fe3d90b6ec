import { describe, expect, it } from 'vitest';
import { createNames, NameError, resolveHost } from './names.ts';

describe('resolveHost', () => {
  it('passes addresses on without asking anybody', async () => {
    const nobody = () => Promise.reject(new Error('was asked'));
    expect(await resolveHost('192.0.2.7', nobody)).toEqual(['192.0.2.7']);
    expect(await resolveHost('2001:db8::1', nobody)).toEqual(['2001:db8::1']);
  });

  it('asks this machine', async () => {
    expect(await createNames().resolve('localhost')).toContain('127.0.0.1');
  });

  it('keeps the order and drops repetitions', async () => {
    const found = ['192.0.2.9', '192.0.2.1', '192.0.2.9'].map((address) => ({ address }));
    expect(await resolveHost('app', () => Promise.resolve(found))).toEqual(['192.0.2.9', '192.0.2.1']);
  });

  it.each([
    ['ENOTFOUND', 'The name app is not known.'],
    ['EAI_AGAIN', 'The name app cannot be looked up now: the name server does not answer.'],
    ['EAI_FAIL', 'The name app cannot be looked up (EAI_FAIL).'],
  ])('says in a sentence why there is none: %s', async (code, sentence) => {
    const failing = () => Promise.reject(Object.assign(new Error(code), { code }));
    await expect(resolveHost('app', failing)).rejects.toThrow(new NameError(sentence));
    await expect(resolveHost('app', () => Promise.resolve([]))).rejects.toThrow('The name app has no address.');
  });

  it('does not wait for ever', async () => {
    const never = () => new Promise<never>(() => undefined);
    await expect(resolveHost('app', never, 20)).rejects.toThrow('The name app was not answered in time.');
  });
});
