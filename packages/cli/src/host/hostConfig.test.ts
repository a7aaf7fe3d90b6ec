import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '../io.ts';
import { openHostConfig } from './hostConfig.ts';

it('renews the pin that it was asked about, and no other that has taken its place', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-host-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = openHostConfig(join(directory, 'host.json'));
  const pinned = (pin: string) => ({
    url: 'https://gateway.test',
    token: new Secret('spn_x'),
    pin,
    interface: 'sallyport0',
    connected: true,
  });
  file.write(pinned('certificate'));
  file.renewPin('certificate', 'key');
  expect(file.read()?.pin).toBe('key');
  // It joined another gateway while the answer of the one before was under way.
  file.write(pinned('other'));
  file.renewPin('certificate', 'key');
  expect(file.read()?.pin).toBe('other');
});
