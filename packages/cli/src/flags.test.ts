import { attribute, domainAttributes, field, httpServiceAttributes } from '@sallyport/sdk/contract';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { command } from './context.ts';
import { checkFlags, parametersOf } from './flags.ts';

const sample = command({
  description: 'A sample.',
  words: ['name', 'kind'],
  flags: z.strictObject({
    name: field.requiredText(10),
    kind: z.optional(field.oneOf(['one', 'other'])),
    port: httpServiceAttributes.backendPort.given,
    allow: httpServiceAttributes.allowedIps.given,
    ids: domainAttributes.allowedNodes.given,
    limit: attribute.optional(
      field.object({ rate: field.integer(1, 9), unit: field.oneOf(['s', 'm']), hard: field.boolean }),
    ).given,
  }),
  help: {
    name: { text: 'its name' },
    kind: { text: 'its kind' },
    port: { text: 'where' },
    allow: { text: 'who may', value: 'address' },
    ids: { text: 'which' },
    limit: { text: 'how often' },
  },
  examples: [],
  run: async () => undefined,
});

/** What commander makes of these words and flags. */
function typed(argv: string[]): Record<string, unknown> {
  const parser = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  const { options, words } = parametersOf(sample);
  for (const word of words) parser.addArgument(word);
  for (const option of options) parser.addOption(option);
  parser.parse(argv, { from: 'user' });
  const [name, kind] = parser.processedArgs;
  return { name, ...(kind === undefined ? {} : { kind }), ...parser.opts() };
}

describe('words and flags', () => {
  it('come from the schema, words in their order', () => {
    const { options, words } = parametersOf(sample);
    expect(words.map((word) => [word.name(), word.required])).toEqual([
      ['name', true],
      ['kind', false],
    ]);
    expect(options.map(({ flags }) => flags)).toEqual([
      '--port <n>',
      '--allow <address>',
      '--ids <n,…>',
      '--limit <rate=n,unit=unit,hard=text>',
    ]);
  });

  it('take a list by commas, by repeating, and by both', () => {
    const flags = typed(['web', '--port', '8080', '--allow', '192.0.2.1, 192.0.2.2', '--allow', '198.51.100.0/24']);
    expect(checkFlags(sample, flags)).toEqual({
      name: 'web',
      port: 8080,
      allow: ['192.0.2.1', '192.0.2.2', '198.51.100.0/24'],
    });
  });

  it('take a list of numbers, and nothing for none', () => {
    expect(checkFlags(sample, typed(['web', '--ids', '2,3', '--ids', '5']))).toMatchObject({ ids: [2, 3, 5] });
    expect(checkFlags(sample, typed(['web', '--ids', '']))).toMatchObject({ ids: null });
    expect(() => checkFlags(sample, typed(['web', '--ids', '2,x']))).toThrow(/^--ids /);
  });

  it('take an object by the names of its parts, and nothing for none', () => {
    const limit = { rate: 5, unit: 's', hard: true };
    expect(checkFlags(sample, typed(['web', '--limit', 'rate=5, unit=s', '--limit', 'hard=true']))).toMatchObject({
      limit,
    });
    expect(checkFlags(sample, typed(['web', '--limit', '']))).toMatchObject({ limit: null });
    expect(() => checkFlags(sample, typed(['web', '--limit', 'rate=5,unit=s']))).toThrow('--limit (hard) is required.');
    expect(() => checkFlags(sample, typed(['web', '--limit', 'rate=x,unit=s,hard=no']))).toThrow(/^--limit \(rate\) /);
    expect(() => checkFlags(sample, typed(['web', '--limit', 'rate=5,unit=s,hard=true,more=1']))).toThrow(/--limit/);
  });

  it.each(['5', 'rate', 'rate:5', '5=', 'rate=5,unit=s,hard=true,10'])('take no %s for an object', (value) => {
    expect(() => checkFlags(sample, typed(['web', '--limit', value]))).toThrow(/^--limit /);
  });

  it('name the word or the flag that is wrong', () => {
    expect(() => checkFlags(sample, typed(['much-too-long-a-name']))).toThrow(/^<name> must be less than/);
    expect(() => checkFlags(sample, typed(['web', '--allow', '192.0.2.1,x']))).toThrow(/^--allow /);
    expect(() => checkFlags(sample, typed(['web', '--port', 'http']))).toThrow('--port must be a number.');
    expect(() => typed(['web', 'third'])).toThrow(/Allowed choices are one, other/);
  });
});
