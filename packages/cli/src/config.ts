import { mkdirSync } from 'node:fs';
import Conf from 'conf';
import { Failure } from './failure.ts';
import { Secret } from './secret.ts';

/** An operator's session with one gateway, as the configuration file keeps it. */
export type Profile = {
  /** Where the gateway is, without a trailing slash. */
  url: string;
  username: string;
  token: Secret;
  /** ISO 8601, UTC; null when the gateway did not say. */
  expiresAt: string | null;
  /** The SHA-256 of the one certificate that is trusted; null: certificates are verified as usual. */
  pin: string | null;
};

/** The same, as it stands in the file. */
export type StoredProfile = Omit<Profile, 'token'> & { token: string };
type Stored = { version: number; profiles: Record<string, StoredProfile> };

const CONFIG_VERSION = 1;
const ONLY_ITS_OWNER = { file: 0o600, directory: 0o700 } as const;
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const storedProfile = {
  type: 'object',
  required: ['url', 'username', 'token', 'expiresAt', 'pin'],
  properties: {
    url: { type: 'string' },
    username: { type: 'string' },
    token: { type: 'string' },
    expiresAt: { type: ['string', 'null'] },
    pin: { type: ['string', 'null'] },
  },
} as const;

/** The user's configuration file: the sessions of this user, by the name of the profile. */
export type Config = {
  readonly path: string;
  get(profile: string): Profile | undefined;
  names(): string[];
  set(profile: string, value: StoredProfile): void;
  remove(profile: string): void;
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
 * Opens the configuration in `directory`, or where this system keeps a user's configuration. A file that cannot be read
 * or understood is a `Failure` and stays as it is.
 */
export function openConfig(directory: string | undefined): Config {
  const options = {
    ...(directory === undefined ? { projectName: 'sallyport', projectSuffix: '' } : { cwd: directory }),
    configName: 'config',
    configFileMode: ONLY_ITS_OWNER.file,
    accessPropertiesByDotNotation: false,
    schema: {
      version: { type: 'integer' },
      profiles: { type: 'object', additionalProperties: storedProfile },
    },
  } as const;
  // The library makes the directory as open as the umask allows; ours keeps secrets.
  if (directory !== undefined)
    guard(directory, () => mkdirSync(directory, { recursive: true, mode: ONLY_ITS_OWNER.directory }));
  const store = guard(directory, () => new Conf<Stored>(options));
  const { path } = store;
  const profiles = () => guard(path, () => ({ ...store.get('profiles') }));
  const version = guard(path, () => store.get('version'));
  if (version !== undefined && version > CONFIG_VERSION) {
    throw new Failure('failed', `${path} was written by a newer version of sallyport.`, 'Update sallyport.');
  }
  const save = (next: Record<string, StoredProfile>) =>
    guard(path, () => {
      store.set({ version: CONFIG_VERSION, profiles: next });
    });

  return {
    path,
    get(name) {
      const all = profiles();
      const found = Object.hasOwn(all, name) ? all[name] : undefined;
      return found && { ...found, token: new Secret(found.token) };
    },
    names: () => Object.keys(profiles()).toSorted(),
    set(name, value) {
      save({ ...profiles(), [name]: value });
    },
    remove(name) {
      const { [name]: _, ...rest } = profiles();
      save(rest);
    },
  };
}

/** Turns what the library and the file system throw into a sentence with the next step. */
function guard<T>(path: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    throw asFailure(error, path ?? 'the configuration file');
  }
}

function asFailure(error: Error & { code?: string; path?: string }, path: string): Failure {
  const place = error.path ?? path;
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new Failure(
        'failed',
        `There is no permission to use ${place}.`,
        'Set SALLYPORT_CONFIG_DIR to a directory of your own.',
        { cause: error },
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new Failure(
        'failed',
        `${place} could not be written: the disk is full.`,
        'Make room and run the command again.',
        { cause: error },
      );
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EISDIR':
      return new Failure(
        'failed',
        `${place} is in the way of the configuration.`,
        'Move it away or set SALLYPORT_CONFIG_DIR.',
        { cause: error },
      );
    case undefined:
      return new Failure(
        'failed',
        `${nameIn(error.message) ?? path} is damaged and was left as it is.`,
        'Mend it or delete it, then sign in again with `sallyport login --operator`.',
        { cause: error },
      );
    default:
      return new Failure(
        'failed',
        `${place} could not be used (${error.code}).`,
        'Set SALLYPORT_CONFIG_DIR to another directory.',
        { cause: error },
      );
  }
}

/** The library names the file only inside its message. */
const nameIn = (message: string) => /config file `([^`]+)`/.exec(message)?.[1];
