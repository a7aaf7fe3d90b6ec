// `pnpm run package [--help] [--out FOLDER] [--native] [--only command] [--quick]`: the CLI as an npm package, the CLI and the gateway as Debian packages
// for amd64 and arm64, an SBOM of each, and sums of all, out of what `pnpm build` made. Two runs with one SOURCE_DATE_EPOCH make the
// same bytes. `--native` leaves out the other architecture. `--quick` makes them in seconds, and half as large again.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { requireBuilt } from './buildStamp.mjs';
import { ARCHITECTURES, nodeFor } from './package/node.mjs';
import { Halt, runMain, say } from './say.mjs';

const root = join(import.meta.dirname, '..');

/** @throws {Halt} when there is no such option */
function given() {
  try {
    return parseArgs({
      options: {
        out: { type: 'string', default: join(root, 'dist') },
        native: { type: 'boolean', default: false },
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new Halt(`${error instanceof Error ? error.message : String(error)}. --help names the options.`);
  }
}

await runMain(async () => {
  const values = given();
  if (values.help) {
    say(
      'npm run boot -- package [--out FOLDER] [--native] [--only command] [--quick] makes the packages of what is built.',
    );
    return;
  }
  const architectures = /** @type {('amd64' | 'arm64')[]} */ (Object.keys(ARCHITECTURES)).filter(
    (name) => !values.native || ARCHITECTURES[name] === process.arch,
  );
  if (architectures.length === 0) throw new Halt(`No Debian package is made for ${process.arch}.`);
  requireBuilt(root, values.only === 'command' ? ['cli'] : ['cli', 'gateway', 'web']);
  // They read what is built.
  const [{ cliDebianPackage, cliNpmPackage }, { gatewayDebianPackage }, { writeSboms }] = await Promise.all([
    import('./package/cli.mjs'),
    import('./package/gateway.mjs'),
    import('./package/sbom.mjs'),
  ]);
  const epoch = Number(
    process.env['SOURCE_DATE_EPOCH'] ??
      execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim(),
  );
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const stage = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
  try {
    const how = { out, epoch, isQuick: values.quick };
    /** @type {Map<'amd64' | 'arm64', Awaited<ReturnType<typeof nodeFor>>>} */
    const nodes = new Map();
    for (const name of architectures) nodes.set(name, await nodeFor(name, how));
    if (!values.quick) say('making the packages, which takes some minutes (--quick: seconds, and larger ones) ...');
    // Compression is most of the time, and each has a processor to itself.
    const ofEach = (make) => Promise.all([...nodes].map(([architecture, node]) => made(make(architecture, node))));
    const commands = await ofEach((architecture, node) =>
      cliDebianPackage(join(stage, `cli-${architecture}`), { ...how, architecture, node }),
    );
    const files = [...commands];
    if (values.only !== 'command') {
      const npm = await made(cliNpmPackage(how));
      const gateways = await ofEach((architecture, node) =>
        gatewayDebianPackage(join(stage, `gateway-${architecture}`), commands, { ...how, architecture, node }),
      );
      files.push(npm, ...gateways);
      files.push(...writeSboms({ commands, npm, gateways, nodes: [...nodes.values()] }, how));
    }
    writeFileSync(join(out, 'SHA256SUMS'), files.map((file) => `${sha256(file)}  ${basename(file)}\n`).join(''));
    process.stdout.write(files.map((file) => `${file}\n`).join(''));
  } finally {
    rmSync(stage, { recursive: true });
  }
});

/** Says what was made, how large it is, and how long that took. */
async function made(file) {
  const since = performance.now();
  const name = await file;
  const [megabytes, seconds] = [statSync(name).size / 1e6, (performance.now() - since) / 1000];
  say(`${basename(name)}: ${megabytes.toFixed(1)} MB, ${seconds.toFixed(0)} s`);
  return name;
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
