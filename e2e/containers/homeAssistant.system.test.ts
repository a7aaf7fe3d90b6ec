import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';

// The Supervisor publishes its schema in no package. These are its rules as far as this app uses them, from
// https://developers.home-assistant.io/docs/apps/configuration and `supervisor/apps/validate.py` of
// github.com/home-assistant/supervisor, read in November 2026. Any other key, which the Supervisor would ignore, is refused.

const REPOSITORY = path.resolve(import.meta.dirname, '../../containers/home-assistant');
const APP = path.join(REPOSITORY, 'sallyport');
const read = (file: string): unknown => parse(readFileSync(file, 'utf8'));

const CAPABILITIES =
  'BPF CHECKPOINT_RESTORE DAC_READ_SEARCH IPC_LOCK NET_ADMIN NET_RAW PERFMON SYS_ADMIN SYS_MODULE SYS_NICE SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME';
const MAPPED =
  'addon_config addons all_addon_configs all_app_configs app_config backup data homeassistant_config local_apps media share ssl';
const OPTION =
  /^(?:bool|email|url|port|device(?:\(subsystem=[^)]+\))?|(?:str|password|int|float)(?:\((?:-?[\d.]+)?,(?:-?[\d.]+)?\))?|match\(.+\)|list\(.+\))\??$/;

const text = z.string().check(z.minLength(1));
const config = z.strictObject({
  name: text,
  version: text,
  slug: z.string().check(z.regex(/^[-_.A-Za-z0-9]+$/)),
  description: text,
  arch: z.array(z.enum(['aarch64', 'amd64'])).check(z.minLength(1)),
  url: z.optional(z.url()),
  image: z.optional(text),
  startup: z.optional(z.enum(['initialize', 'system', 'services', 'application', 'once'])),
  boot: z.optional(z.enum(['auto', 'manual', 'manual_only'])),
  init: z.optional(z.boolean()),
  privileged: z.optional(z.array(z.enum(CAPABILITIES.split(' ')))),
  devices: z.optional(z.array(z.string().check(z.regex(/^\/dev\/[^:]+$/)))),
  map: z.optional(
    z.array(
      z.strictObject({ type: z.enum(MAPPED.split(' ')), read_only: z.optional(z.boolean()), path: z.optional(text) }),
    ),
  ),
  tmpfs: z.optional(z.boolean()),
  timeout: z.optional(z.int().check(z.minimum(10), z.maximum(300))),
  options: z.record(z.string(), z.unknown()),
  schema: z.record(z.string(), z.string().check(z.regex(OPTION))),
});
const translations = z.strictObject({
  configuration: z.record(z.string(), z.strictObject({ name: text, description: text })),
});
const repository = z.strictObject({ name: text, url: z.optional(z.url()), maintainer: z.optional(text) });

it('is an app by the rules of the Supervisor, in a repository of them', () => {
  expect(z.safeParse(repository, read(path.join(REPOSITORY, 'repository.yaml'))).error).toBeUndefined();
  const found = z.safeParse(config, read(path.join(APP, 'config.yaml')));
  expect(found.error).toBeUndefined();
  // It looks for such files everywhere, takes each for an app, and reads no build.yaml any more.
  expect(globSync('**/config.{yaml,yml,json}', { cwd: REPOSITORY })).toEqual(['sallyport/config.yaml']);
  expect(existsSync(path.join(APP, 'build.yaml'))).toBe(false);
  // The folder is what it is called after.
  expect(found.data?.slug).toBe(path.basename(APP));
});

it('asks for its options by name, for those without a default before it starts', () => {
  const { options, schema } = z.parse(config, read(path.join(APP, 'config.yaml')));
  const needed = Object.keys(schema).filter((name) => !schema[name]?.endsWith('?'));
  expect(Object.keys(options).toSorted()).toEqual(needed.toSorted());
  const { configuration } = z.parse(translations, read(path.join(APP, 'translations/en.yaml')));
  expect(Object.keys(configuration)).toEqual(Object.keys(schema));
});

it.each([
  ['a key that there is none of', { privilege: ['NET_ADMIN'] }],
  ['an architecture that is not supported any more', { arch: ['armv7'] }],
  ['a right that is none', { privileged: ['NET_BIND_SERVICE'] }],
  ['a directory that is not mapped', { map: [{ type: 'config_files' }] }],
  ['an option of an unknown type', { schema: { url: 'uri' } }],
])('would notice %s', (_, change) => {
  expect(z.safeParse(config, { ...(read(path.join(APP, 'config.yaml')) as object), ...change }).success).toBe(false);
});
