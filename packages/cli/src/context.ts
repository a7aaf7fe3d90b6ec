import { resolve } from 'node:path';
import type { Client, RawRequest } from '@sallyport/sdk';
import type * as z from 'zod/mini';
import type { Config, Profile } from './config.ts';
import { Failure } from './failure.ts';
import type { Host } from './host/host.ts';
import type { Machine } from './host/machine.ts';
import { createIo, createProgress, type Io, Secret, type Streams } from './io.ts';

/** Everything that a run of the command takes from outside; tests give their own. */
export type Environment = Streams & {
  env: Record<string, string | undefined>;
  fetch: (request: Request) => Promise<Response>;
  now: () => Date;
  /** Aborts when the user interrupts, or when no one reads standard output any more. */
  signal: AbortSignal;
  /** The command line that runs this program again. */
  self?: readonly string[];
  /** The machine that a host's commands work on; this one unless given. */
  machine?: Machine;
};

/** The flags that every command understands. */
export type Globals = {
  profile?: string;
  url?: string;
  /** The host's configuration file. */
  config?: string;
  json?: boolean;
  quiet?: boolean;
  /** Whether questions may be asked. */
  input: boolean;
  color: boolean;
};

/** What a flag is for, what stands for its value, and whether `--no-…` says the opposite of it. */
export type FlagHelp = { text: string; value?: string; negatable?: boolean };

/** One command. Its flags are the fields of a schema: their names, kinds and bounds come from there. */
export type Command<S extends z.ZodMiniObject> = {
  description: string;
  flags: S;
  /** What each flag is for, and what stands for its value in the help. */
  help: { readonly [F in keyof z.output<S>]-?: FlagHelp };
  /** The fields that are given as words instead of flags, in their order; one that must be given comes before one that may. */
  words?: readonly (keyof z.output<S> & string)[];
  examples: readonly string[];
  run: (context: Context, flags: z.output<S>) => Promise<void>;
};

/** A command of whatever flags, as the program sees it. */
export type AnyCommand = Omit<Command<z.ZodMiniObject>, 'help' | 'words' | 'run'> & {
  help: { readonly [field: string]: FlagHelp };
  words?: readonly string[];
  run: (context: Context, flags: never) => Promise<void>;
};

/** Declares a command and ties the type of its flags to its schema. */
export const command = <S extends z.ZodMiniObject>(definition: Command<S>): AnyCommand => definition;

/** A gateway, and who asks it. */
export type Target = {
  url: string;
  token?: Secret;
  pin: string | null;
  /** Told the pin of the gateway's key, where `pin` is that of its certificate only. */
  renewPin?: (pin: string) => void;
};

/** What a command may use. Whatever costs time to load is loaded when it is asked for. */
export type Context = {
  io: Io;
  globals: Globals;
  env: Environment['env'];
  signal: AbortSignal;
  now: () => Date;
  /** The profile of this run: `--profile`, `SALLYPORT_PROFILE`, else `default`. */
  profileName: string;
  config: () => Promise<Config>;
  /** The address that this run names: `--url`, else `SALLYPORT_URL`. */
  givenUrl: () => string | undefined;
  /** A client for any gateway. */
  connect: (target: Target) => Promise<Client>;
  /** The API token of SALLYPORT_TOKEN, else the session of this run's profile, or a `Failure` that says how to get one. */
  session: () => Promise<Profile>;
  /** A client that is signed in by that session. */
  client: () => Promise<Client>;
  /** Sends any request as that session, or to `target`; `read` is given the reply, whose status is 2xx. */
  request: (request: RawRequest, read: (reply: Response) => Promise<void>, target?: Target) => Promise<void>;
  /** This host as a node of a gateway. */
  host: () => Promise<Host>;
  /** The whole command tree, for what is made from it. */
  tree: () => Promise<CommandTree>;
};

/** The program's name and its commands with their flags and words, as a completion needs them. */
export type CommandTree = {
  name: string;
  description: string;
  options: readonly {
    flags: string;
    long: string;
    takesValue: boolean;
    description: string;
    choices: readonly string[];
  }[];
  choices: readonly string[];
  /** One of its words is the name of a file or a directory. */
  takesFile: boolean;
  commands: readonly CommandTree[];
};

export const DEFAULT_PROFILE = 'default';

/** The user name of a session that is no profile's: its token is SALLYPORT_TOKEN. */
const ENVIRONMENT = 'SALLYPORT_TOKEN';

/** Puts a context together out of its environment and the global flags. */
export function createContext(environment: Environment, globals: Globals, tree: Context['tree']): Context {
  const { env, signal, now } = environment;
  const io = createIo(environment, env, globals, signal);
  const progress = createProgress(io.say);
  const profileName = globals.profile ?? env['SALLYPORT_PROFILE'] ?? DEFAULT_PROFILE;

  const givenUrl = () => {
    const text = globals.url ?? env['SALLYPORT_URL'];
    return text === undefined || text === '' ? undefined : gatewayUrl(text);
  };
  const config = async () => {
    const { openConfig, checkProfileName } = await import('./config.ts');
    checkProfileName(profileName);
    return openConfig(env['SALLYPORT_CONFIG_DIR'] || undefined);
  };
  const optionsFor = async ({ url, token, pin, renewPin }: Target) => {
    const fetch = pin === null ? environment.fetch : (await import('./certificatePin.ts')).pinnedFetch(pin, renewPin);
    return { baseUrl: url, fetch: progress(fetch), ...(token === undefined ? {} : { token: token.reveal() }) };
  };
  const connect: Context['connect'] = async (target) => {
    const { createClient } = await import('@sallyport/sdk');
    return createClient(await optionsFor(target));
  };
  /** What a program has by its environment: a token for the gateway that it names, and no other. */
  const environmentSession = async (text: string): Promise<Profile> => {
    const url = givenUrl();
    if (url === undefined) {
      const how = 'Give it with --url or SALLYPORT_URL.';
      throw new Failure('usage', 'SALLYPORT_TOKEN is set, and not the address of its gateway.', how);
    }
    const { refuseExposed } = await import('./host/credentials.ts');
    refuseExposed(url, false);
    const pin = env['SALLYPORT_PIN'];
    return {
      url,
      username: ENVIRONMENT,
      token: new Secret(text),
      expiresAt: null,
      pin: pin ? (await import('./certificatePin.ts')).pinOf(pin) : null,
    };
  };
  const session = async () => {
    const given = env['SALLYPORT_TOKEN']?.trim() ?? '';
    const { API_TOKEN_PREFIX } = await import('@sallyport/sdk/contract');
    // That of a node is for the commands of its host.
    if (given.startsWith(API_TOKEN_PREFIX)) return environmentSession(given);
    const profile = (await config()).get(profileName);
    const url = givenUrl();
    const how = `Run \`${signInCommand(profileName, url ?? profile?.url)}\`.`;
    if (!profile) throw new Failure('signedOut', `Profile "${profileName}" is not signed in.`, how);
    // A token goes to the gateway that gave it, and nowhere else.
    if (url !== undefined && url !== profile.url) {
      throw new Failure('signedOut', `Profile "${profileName}" is signed in to ${profile.url}, not to ${url}.`, how);
    }
    if (profile.expiresAt !== null && Date.parse(profile.expiresAt) <= now().getTime()) {
      throw new Failure('signedOut', `The session of profile "${profileName}" has ended.`, how);
    }
    return profile;
  };
  /** Who asks, and where the pin is kept when it is renewed. */
  const target = async (): Promise<Target> => {
    const { url, token, pin, username } = await session();
    if (username === ENVIRONMENT) return { url, token, pin };
    const file = await config();
    return { url, token, pin, renewPin: (next) => file.renewPin(profileName, pin, next) };
  };
  const client = async () => connect(await target());

  return {
    io,
    globals,
    env,
    signal,
    now,
    profileName,
    config,
    givenUrl,
    connect,
    session,
    client,
    request: async (request, read, other) => {
      const { sendRaw } = await import('@sallyport/sdk');
      // A stream has no end that could be waited for.
      const timeoutMs = /\/stream(?:\?|$)/.test(request.path) ? null : undefined;
      await sendRaw(await optionsFor(other ?? (await target())), request, read, { signal, timeoutMs });
    },
    tree,
    host: async () => {
      const [{ createHost }, { HOST_CONFIG_FILE, openHostConfig }, { createMachine }] = await Promise.all([
        import('./host/host.ts'),
        import('./host/hostConfig.ts'),
        import('./host/machine.ts'),
      ]);
      const path = resolve(globals.config ?? (env['SALLYPORT_CONFIG'] || HOST_CONFIG_FILE));
      return createHost(
        environment.machine ?? createMachine(env, environment.self ?? []),
        openHostConfig(path),
        connect,
      );
    },
  };
}

/** The command that signs a profile in again. */
export function signInCommand(profile: string, url: string | undefined): string {
  const parts = ['sallyport login --operator', `--url ${url ?? 'URL'}`];
  return [...parts, ...(profile === DEFAULT_PROFILE ? [] : [`--profile ${profile}`])].join(' ');
}

/** A command of a host as the user who reads it has to run it: with sudo where this run was given its rights by sudo. */
export const hostCommandLine = (env: Environment['env'], words: string): string =>
  `${env['SUDO_USER'] ? 'sudo ' : ''}sallyport ${words}`;

const EXAMPLE = 'Give one like https://gateway.example.com:9443.';

/** Understands the address of a gateway as people type it; without a scheme it is HTTPS. No trailing slash. */
export function gatewayUrl(text: string): string {
  const typed = text.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`);
  if (typed === '' || url === null) throw new Failure('usage', `"${typed}" is not the address of a gateway.`, EXAMPLE);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Failure('usage', `A gateway is reached by https, not by ${url.protocol.slice(0, -1)}.`, EXAMPLE);
  }
  if (url.username || url.password) {
    throw new Failure(
      'usage',
      'The address of the gateway holds a user name or a password.',
      'Leave it out: sign-in asks for it.',
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** `orderBy` is `--order-by` on the command line. */
export const flagName = (field: string) => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
