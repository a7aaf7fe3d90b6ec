import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { manifestOf, unbundledLibraries } from './gateway.mjs';

const root = join(import.meta.dirname, '../..');

/**
 * Writes next to each package a list of what is in it (an SBOM, as CycloneDX): the libraries that were bundled, which the source
 * maps name, those that stay files, and Node. What pnpm knows of them, licences and the hashes of the lock file, goes along.
 * @param {{ commands: string[], npm: string, gateways: string[], nodes: Awaited<ReturnType<typeof import('./node.mjs').nodeFor>>[] }} packages
 *   `commands` and `gateways` are in the order of `nodes`
 * @param {{ epoch: number }} how
 * @returns {string[]} the files
 */
export function writeSboms({ commands, npm, gateways, nodes }, { epoch }) {
  const known = new Map(askPnpm(['cli', 'gateway', 'web']).map((each) => [each.purl, each]));
  const partIn = (folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    // pnpm knows nothing of what another library has in its own folder.
    return known.get(purlOf(name, version)) ?? part('library', name, version, { license, purl: purlOf(name, version) });
  };
  const ofCommand = bundledLibraries('cli').map(partIn);
  const ofGateway = [...bundledLibraries('gateway'), ...unbundledLibraries().values()].map(partIn);
  const all = [
    ...ofGateway,
    ...askPnpm(['web'], '--prod'),
    ...ofCommand,
    ...nodes.map(nodePart),
    ...commands.map(packagePart),
  ];
  return [
    writeSbom(npm, ofCommand, epoch),
    ...commands.map((file, index) => writeSbom(file, [...ofCommand, nodePart(nodes[index])], epoch)),
    ...gateways.map((file) => writeSbom(file, all, epoch)),
  ];
}

/** What pnpm says of the libraries that packages of this workspace need. */
function askPnpm(names, ...flags) {
  const filters = names.flatMap((name) => ['--filter', `@sallyport/${name}`]);
  const words = [...filters, 'sbom', '--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', ...flags];
  const text = execFileSync('pnpm', words, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  return JSON.parse(text).components.filter(({ group }) => group !== '@sallyport');
}

/** The folders of the libraries of which something is in a bundle. */
function bundledLibraries(name) {
  const dist = join(root, 'packages', name, 'dist');
  const maps = readdirSync(dist).filter((file) => file.endsWith('.js.map') && file !== 'testing.js.map');
  const sources = maps.flatMap((file) => JSON.parse(readFileSync(join(dist, file), 'utf8')).sources);
  const manifests = sources.flatMap((source) => {
    const [, place, library] = /^(.*)\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
    // What a library bundled itself is named as if it lay within it.
    return place === undefined || library === undefined
      ? []
      : [manifestOf(library, resolve(dist, place, 'package.json'))];
  });
  return [...new Set(manifests)].map(dirname);
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/**
 * @param {string} type
 * @param {string} name
 * @param {string | undefined} version
 * @param {{ purl: string, license?: string, hash?: { alg: string, content: string } }} facts
 */
function part(type, name, version, facts) {
  const { purl, license, hash } = facts;
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [{ license: { id: license } }] }),
    ...(hash !== undefined && { hashes: [hash] }),
  };
}

function nodePart(node) {
  const content = Buffer.from(node.integrity.replace('sha512-', ''), 'base64').toString('hex');
  const hash = { alg: 'SHA-512', content };
  return part('platform', node.package, node.version, {
    purl: purlOf(node.package, node.version),
    license: 'MIT',
    hash,
  });
}

/** A package that was made: NAME_VERSION_ARCHITECTURE.deb, or NAME-VERSION.tgz. */
function packagePart(file) {
  const [, name = '', version, architecture] =
    /^([a-z-]+)[_-]([^_]+?)(?:_(\w+))?\.(?:deb|tgz)$/.exec(basename(file)) ?? [];
  const purl =
    architecture === undefined
      ? purlOf(name.replace('-', '/').replace(/^/, '@'), version)
      : `pkg:deb/sallyport/${name}@${version}?arch=${architecture}`;
  const hash = { alg: 'SHA-256', content: createHash('sha256').update(readFileSync(file)).digest('hex') };
  return part('application', name, version, { purl, license: 'MIT', hash });
}

function writeSbom(file, parts, epoch) {
  const of = packagePart(file);
  const byReference = new Map(parts.map((each) => [each['bom-ref'], each]));
  /** @type {string[]} */
  const references = [...byReference.keys()].map(String).toSorted();
  const content = {
    metadata: { timestamp: new Date(epoch * 1000).toISOString(), lifecycles: [{ phase: 'build' }], component: of },
    components: references.map((reference) => byReference.get(reference)),
    dependencies: [{ ref: of['bom-ref'], dependsOn: references }],
  };
  // The same content has the same number: it comes of it.
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  const serialNumber = `urn:uuid:${a}-${b}-8${c}-8${d}-${e}`;
  const target = `${file}.cdx.json`;
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, version: 1, ...content };
  writeFileSync(target, `${JSON.stringify(document, null, 2)}\n`);
  return target;
}
