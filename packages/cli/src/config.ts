import { join } from 'node:path';
import envPaths from 'env-paths';
import * as z from 'zod/mini';
import { Failure } from './failure.ts';
import { readDocument, writeDocument } from './storedFile.ts';
import { Secret } from './io.ts';

/** An operator's session with one gateway, as the configuration file keeps it. */
export type Profile = {
  /** Where the gateway is, without a trailing slash. */
  url: string;
  username: string;
  token: Secret;
  /** ISO 8601, UTC; null when the gateway did not say. */
  expiresAt: string | null;
  /** The SHA-256 of the one key that is trusted, or of its certificate until the next contact; null: certificates are verified as usual. */
  pin: string | null;
};

const storedProfile = z.object({
  url: z.string(),
  username: z.string(),
  token: z.string(),
  expiresAt: z.nullable(z.string()),
  pin: z.nullable(z.string()),
});
/** The same, as it stands in the file. */
export type StoredProfile = z.output<typeof storedProfile>;

const stored = z.object({
  version: z._default(z.int(), 1),
  profiles: z._default(z.record(z.string(), storedProfile), {}),
});
const CONFIG_VERSION = 1;
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const ADVICE = {
  purpose: 'the configuration',
  elsewhere: 'set SALLYPORT_CONFIG_DIR to a directory of your own',
  permission: 'Set SALLYPORT_CONFIG_DIR to a directory of your own.',
  renew: 'sign in again with `sallyport login --operator`',
};

/** The user's configuration file: the sessions of this user, by the name of the profile. */
export type Config = {
  readonly path: string;
  get(profile: string): Profile | undefined;
  /** Every profile by its name. */
  all(): Readonly<Record<string, Profile>>;
  set(profile: string, value: StoredProfile): void;
  remove(profile: string): void;
  /** Replaces the pin of a profile that still has the one before. What cannot be written stays as it is. */
  renewPin(profile: string, before: string | null, next: string): void;
};

/** Refuses a name that could not be typed again or would mean something to the file. */
export function checkProfileName(name: string): void {
  if (PROFILE_NAME.test(name)) return;
  throw new Failure(
    'usage',
    `"${name}" cannot be the name of a profile.`,
    'Use letters, digits, ".", "_" and "-", 64 at most.',
  );
}

/**
 * Opens the configuration in `directory`, or where this system keeps a user's configuration. Reading makes nothing. A file
 * that cannot be read or understood is a `Failure` and stays as it is.
 */
export function openConfig(directory: string = envPaths('sallyport', { suffix: '' }).config): Config {
  const advice = { path: join(directory, 'config.json'), ...ADVICE };
  const profiles = () => readDocument(advice, stored, CONFIG_VERSION)?.profiles ?? {};
  const find = (name: string): StoredProfile | undefined => new Map(Object.entries(profiles())).get(name);
  const save = (next: Record<string, StoredProfile>) =>
    writeDocument(advice, { version: CONFIG_VERSION, profiles: next });

  return {
    path: advice.path,
    get(name) {
      const found = find(name);
      return found && { ...found, token: new Secret(found.token) };
    },
    all: () =>
      Object.fromEntries(
        Object.entries(profiles()).map(([name, found]) => [name, { ...found, token: new Secret(found.token) }]),
      ),
    set(name, value) {
      save({ ...profiles(), [name]: value });
    },
    renewPin(name, before, next) {
      try {
        const found = find(name);
        if (found?.pin === before) save({ ...profiles(), [name]: { ...found, pin: next } });
      } catch {
        // The pin that is there works as well, until the certificate is renewed.
      }
    },
    remove(name) {
      const { [name]: _, ...rest } = profiles();
      save(rest);
    },
  };
}
