import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { quietly, withRetries } from '../commands.mjs';
import { Halt, say } from '../say.mjs';

const PNPM_MAJOR = 12;

/** The releases that package.json's `engines` admits: 24.15 and later of 24, or 26 and later. */
export function isSuitableNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return (major === 24 && minor >= 15) || major >= 26;
}

/**
 * Finds the Node and the pnpm to work with: those of the machine when they suit, else the pinned ones in `.runtime`,
 * which are fetched when they are missing or no longer the pinned ones.
 * Returns both paths and the environment in which everything further runs.
 *
 * @param {string} root
 * @param {{ versions: { node: string }, execPath: string, platform: string, arch: string, env: NodeJS.ProcessEnv }} [present]
 * @param {Parameters<typeof withRetries>[1]} [retries]
 */
export async function findRuntime(root, present = process, retries = {}) {
  const ownNode = isSuitableNode(present.versions.node) ? present.execPath : undefined;
  const ownPnpm = (await hasOwnPnpm(present.env)) ? 'pnpm' : undefined;
  const pinned = readPinned(root, present);
  if (!(ownNode && ownPnpm) && !isInstalled(pinned, { ownNode, ownPnpm })) {
    await install(pinned, { ownNode, ownPnpm }, present.env, retries);
  }
  const node = ownNode ?? pinned.node.path;
  const pnpm = ownPnpm ?? pinned.pnpm.path;
  const folders = [dirname(node), ...(ownPnpm ? [] : [dirname(pnpm)])];
  return { node, pnpm, env: { ...present.env, PATH: [...folders, present.env['PATH']].join(':') } };
}

async function hasOwnPnpm(env) {
  // Corepack's stand-in would fetch a pnpm instead of saying which one it has.
  const { code, output } = await quietly('pnpm', ['--version'], {
    cwd: '/',
    env: { ...env, COREPACK_ENABLE_NETWORK: '0' },
  });
  return code === 0 && output.trim().startsWith(`${PNPM_MAJOR}.`);
}

function readPinned(root, { platform, arch }) {
  const source = join(root, 'scripts', 'runtime');
  const home = join(root, '.runtime');
  const pins = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')).optionalDependencies;
  const part = (label, name, file) => ({
    label,
    version: pins[name],
    file: join('node_modules', name, file),
    path: join(home, 'node_modules', name, file),
  });
  return {
    source,
    home,
    node: part('Node', `node-${platform}-${arch}`, 'bin/node'),
    pnpm: part('pnpm', `@pnpm/exe.${platform}-${arch}`, 'pnpm'),
  };
}

/** The parts that the machine lacks. */
function needed(pinned, { ownNode, ownPnpm }) {
  return [...(ownNode ? [] : [pinned.node]), ...(ownPnpm ? [] : [pinned.pnpm])];
}

function isInstalled(pinned, own) {
  const lock = (folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (!existsSync(join(pinned.home, 'package-lock.json'))) return false;
  if (lock(pinned.home) !== lock(pinned.source)) return false;
  return needed(pinned, own).every((part) => existsSync(part.path));
}

async function install(pinned, own, env, retries) {
  const parts = needed(pinned, own);
  if (parts.some((part) => part.version === undefined)) throw new Halt(advice(own));
  const names = parts.map((part) => `${part.label} ${part.version}`).join(' and ');
  say(`fetching ${names} from the npm registry (once; up to 90 MB) ...`);

  await removeAbandoned(pinned.home);
  const draft = `${pinned.home}.${process.pid}`;
  try {
    await mkdir(draft);
    for (const file of ['package.json', 'package-lock.json']) {
      await cp(join(pinned.source, file), join(draft, file));
    }
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http'];
    const failure = await withRetries(async () => {
      const { code, output, tail } = await quietly('npm', args, { cwd: draft, env });
      const failures = failedFetches(output);
      const isComplete = parts.every((part) => existsSync(join(draft, part.file)));
      return code !== 0 || (failures !== '' && !isComplete)
        ? `npm could not fetch ${names}:\n${failures || tail}`
        : undefined;
    }, retries);
    if (failure !== undefined) {
      const fix = "check the network and npm's settings (registry, proxy, cafile) and try again";
      throw new Halt(`${failure}\n${fix}, or ${wanted(own)}.`);
    }
    for (const part of parts) await verify(part, draft, own);
    await swapIn(draft, pinned, own);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** What npm could not get. It does without an optional package that it cannot fetch, and calls that a success. */
function failedFetches(output) {
  const lines = output.split('\n').filter((line) => /^npm http fetch \w+ ([45]\d\d |.* failed with )/.test(line));
  return [...new Set(lines.map((line) => line.replace(/ attempt \d+(?= failed)| \d+ms .*$/g, '')))].join('\n');
}

/**
 * npm leaves out a package that does not fit the machine without a word, so the program itself is asked; old versions do
 * the same with one that they cannot fetch, as where they do not trust the registry's certificate.
 */
async function verify(part, folder, own) {
  if (!existsSync(join(folder, part.file))) {
    throw new Halt(
      `npm left out ${part.label} ${part.version} and does not say why: see whether \`npm ping\` works (registry, proxy, cafile), or ${wanted(own)}.`,
    );
  }
  const { code, output } = await quietly(join(folder, part.file), ['--version']);
  if (code !== 0 || output.trim().replace(/^v/, '') !== part.version) throw new Halt(advice(own));
}

function advice(own) {
  return `no ready-made program for this ${process.platform} ${process.arch} machine: ${wanted(own)} and try again.`;
}

function wanted({ ownNode }) {
  return `install ${ownNode ? `pnpm ${PNPM_MAJOR}` : `Node 24.15 or newer (and pnpm ${PNPM_MAJOR})`}`;
}

async function swapIn(draft, pinned, own) {
  const old = `${draft}.old`;
  try {
    if (existsSync(pinned.home)) await rename(pinned.home, old);
    await rename(draft, pinned.home);
  } catch (error) {
    // Another start was quicker; what it installed is as good.
    if (!isInstalled(pinned, own)) throw error;
  }
  await rm(old, { recursive: true, force: true });
}

/** Drafts of an installation that was interrupted bear the number of a process that is gone. */
async function removeAbandoned(home) {
  const folder = dirname(home);
  for (const name of readdirSync(folder)) {
    const pid = /^\.runtime\.(\d+)/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
