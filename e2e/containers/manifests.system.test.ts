import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CONTAINERS = path.join(ROOT, 'containers');
const read = (name: string): string => readFileSync(path.join(CONTAINERS, name), 'utf8');
const { version } = JSON.parse(readFileSync(path.join(CONTAINERS, '../package.json'), 'utf8')) as { version: string };

it('names the version of the packages everywhere', () => {
  const named = {
    'home-assistant/sallyport/config.yaml': `\nversion: ${version}\n`,
    'home-assistant/sallyport/Dockerfile': `/sallyport-node:${version}\n`,
    'home-assistant/sallyport/CHANGELOG.md': `## ${version}\n`,
    'kubernetes/kustomization.yaml': `\n    newTag: ${version}\n`,
  };
  for (const [file, text] of Object.entries(named)) expect(read(file), file).toContain(text);
});

type Manifest = { apiVersion: string; kind: string };
type Pod = { spec: { containers: { securityContext: object; image: string }[] } };

/** What Kustomize makes of the manifests; null: it is not installed. */
function manifests(): Manifest[] | null {
  const { error, status, stdout, stderr } = spawnSync('kubectl', ['kustomize', path.join(CONTAINERS, 'kubernetes')], {
    encoding: 'utf8',
  });
  if (error !== undefined) return null;
  expect([status, stderr]).toEqual([0, '']);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/**
 * What is wrong with manifests by the OpenAPI document of Kubernetes, from which the types are made: a key that is not
 * there, one that is missing, a value of another type.
 */
function typeErrors(all: readonly Manifest[]): string {
  // Where the types are found.
  const folder = mkdtempSync(path.join(ROOT, 'node_modules', '.manifests-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'manifests.ts');
  const lines = all.map((manifest, index) => {
    const { apiVersion, kind } = manifest;
    const module = apiVersion === 'v1' ? 'core/v1' : apiVersion;
    return `export const n${index}: import('kubernetes-types/${module}.d.ts').${kind} = ${JSON.stringify(manifest)};\n`;
  });
  writeFileSync(file, lines.join(''));
  const options = ['--noEmit', '--ignoreConfig', '--strict', '--module', 'nodenext', '--types', '', file];
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, ...options], { encoding: 'utf8' }).stdout;
}

it('has manifests that Kustomize puts together, with as few rights as a node can have', ({ skip }) => {
  const all = manifests() ?? skip('kubectl is not installed');
  // Their order is another one in each version.
  expect(all.map(({ kind }) => kind).toSorted()).toEqual([
    'ConfigMap',
    'Deployment',
    'Namespace',
    'PersistentVolumeClaim',
  ]);
  const node = all.find(({ kind }) => kind === 'Deployment');
  expect(node).toMatchObject({
    spec: { replicas: 1, strategy: { type: 'Recreate' }, template: { spec: { automountServiceAccountToken: false } } },
  });
  const { containers } = (node as Manifest & { spec: { template: Pod } }).spec.template.spec;
  expect(containers).toEqual([
    expect.objectContaining({
      image: `registry.example.com/sallyport-node:${version}`,
      securityContext: expect.objectContaining({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false }),
    }),
  ]);
});

it('has manifests of which Kubernetes knows every key and the type of every value', ({ skip }) => {
  const all = manifests() ?? skip('kubectl is not installed');
  expect(typeErrors(all)).toBe('');

  const altered = (change: object): Manifest => {
    const deployment = all.find(({ kind }) => kind === 'Deployment');
    const node = structuredClone(deployment) as Manifest & { spec: { template: Pod } };
    Object.assign(node.spec.template.spec.containers[0]?.securityContext ?? {}, change);
    return node;
  };
  const errors = typeErrors([altered({ readOnlyRootFileSystem: true }), altered({ runAsUser: 'root' })]);
  expect(errors).toContain("'\"readOnlyRootFileSystem\"' does not exist in type 'SecurityContext'");
  expect(errors).toContain("Type 'string' is not assignable to type 'number'");
});
