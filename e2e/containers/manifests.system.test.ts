import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const CONTAINERS = path.resolve(import.meta.dirname, '../../containers');
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

it('has manifests that Kustomize puts together, with as few rights as a node can have', ({ skip }) => {
  const { error, status, stdout, stderr } = spawnSync('kubectl', ['kustomize', path.join(CONTAINERS, 'kubernetes')], {
    encoding: 'utf8',
  });
  if (error !== undefined) skip('kubectl is not installed');
  expect([status, stderr]).toEqual([0, '']);
  const [namespace, settings, volume, node, ...more] = stdout.split('\n---\n');
  expect([namespace, settings, volume, node].map((text) => /^kind: (.*)$/m.exec(text ?? '')?.[1])).toEqual([
    'Namespace',
    'ConfigMap',
    'PersistentVolumeClaim',
    'Deployment',
  ]);
  expect(more).toEqual([]);
  for (const text of [
    'readOnlyRootFilesystem: true',
    'allowPrivilegeEscalation: false',
    'automountServiceAccountToken: false',
    'replicas: 1',
    'type: Recreate',
    `image: registry.example.com/sallyport-node:${version}`,
  ]) {
    expect(node).toContain(text);
  }
});
