// `wg` on a kernel that has WireGuard, for machines whose kernel has none: it keeps what it is told of an interface in a
// file, and encrypts nothing. Takes the directory of these files before the arguments of `wg`.
import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const PKCS8_OF_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const KEY_BYTES = 32;
/** @typedef {{ privateKey: string | null, port: number, peers: Record<string, { allowed: string, endpoint: string }> }} State */

const [directory = '', verb, name = '', file = ''] = process.argv.slice(2);
// An interface that was deleted and made again is another one.
const [{ ifindex }] = JSON.parse(execFileSync('ip', ['-json', 'link', 'show', 'dev', name], { encoding: 'utf8' }));
const stateFile = path.join(directory, `${name}.${ifindex}`);
/** @type {State} */
const state = existsSync(stateFile)
  ? JSON.parse(readFileSync(stateFile, 'utf8'))
  : { privateKey: null, port: 0, peers: {} };

/** @param {string | null} privateKey */
function publicKeyOf(privateKey) {
  if (privateKey === null) return '(none)';
  const key = Buffer.concat([PKCS8_OF_X25519, Buffer.from(privateKey, 'base64')]);
  const publicKey = createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES).toString('base64');
}

/** @param {string} text */
function configure(text) {
  const values = new Map(
    [...text.matchAll(/^(PrivateKey|ListenPort) = (.*)$/gm)].map(([, key, value]) => [key, value]),
  );
  const before = verb === 'syncconf' ? state.peers : {};
  state.privateKey = values.get('PrivateKey') ?? null;
  state.port = Number(values.get('ListenPort'));
  state.peers = {};
  for (const section of text.split('[Peer]').slice(1)) {
    const of = (/** @type {string} */ key) => new RegExp(`^${key} = (.*)$`, 'm').exec(section)?.[1];
    const publicKey = of('PublicKey') ?? '';
    const endpoint = of('Endpoint') ?? before[publicKey]?.endpoint ?? '(none)';
    state.peers[publicKey] = { allowed: of('AllowedIPs') ?? '(none)', endpoint };
  }
  writeFileSync(stateFile, JSON.stringify(state), { mode: 0o600 });
}

function dump() {
  const own = [state.privateKey ?? '(none)', publicKeyOf(state.privateKey), state.port, 'off'].join('\t');
  const peers = Object.entries(state.peers).map(
    ([key, { allowed, endpoint }]) => `${key}\t(none)\t${endpoint}\t${allowed.replaceAll(' ', '')}\t0\t0\t0\toff`,
  );
  return [own, ...peers].join('\n');
}

if (verb === 'setconf' || verb === 'syncconf') configure(readFileSync(file, 'utf8'));
else if (verb === 'show' && file === 'public-key') process.stdout.write(`${publicKeyOf(state.privateKey)}\n`);
else if (verb === 'show' && file === 'allowed-ips') {
  const lines = Object.entries(state.peers).map(([key, { allowed }]) => `${key}\t${allowed.replaceAll(',', '')}\n`);
  process.stdout.write(lines.join(''));
} else if (verb === 'show' && file === 'dump') process.stdout.write(`${dump()}\n`);
else throw new Error(`not played: wg ${verb} ${name} ${file}`);
