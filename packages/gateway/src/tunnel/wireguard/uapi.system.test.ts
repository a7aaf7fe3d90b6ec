import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openUapi, uapiPath } from './uapi.ts';

it('does not wait for ever for a WireGuard in userspace that is stuck', async () => {
  const name = `spu${process.pid}`;
  mkdirSync(dirname(uapiPath(name)), { recursive: true });
  const stuck = createServer(() => undefined).listen(uapiPath(name));
  await once(stuck, 'listening');
  onTestFinished(() => void stuck.close());
  const uapi = await openUapi(name, 50);
  await expect(uapi?.read()).rejects.toThrow('WireGuard ended.');
  await uapi?.closed;
});
