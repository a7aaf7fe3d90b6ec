import { existsSync, readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const OURS = '# Put here by Sallyport while it installs packages.';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs `work` while Debian's packages may not start their services, so that a freshly installed nginx does not take
 * port 80. The policy that was there before is put back afterwards, also when a signal interrupts: `work` is given an
 * AbortSignal and ends early. What a killed process has left behind is put right at the next call.
 */
export async function withoutServiceStarts(root, work) {
  const policy = join(root, 'usr/sbin/policy-rc.d');
  const kept = `${policy}.sallyport-kept`;
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    await restore(policy, kept);
    if (existsSync(policy)) await rename(policy, kept);
    await writeFile(policy, `#!/bin/sh\n${OURS}\nexit 101\n`, { mode: 0o755 });
    return await work(interruption.signal);
  } finally {
    await restore(policy, kept);
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

async function restore(policy, kept) {
  if (existsSync(policy) && readFileSync(policy, 'utf8').includes(OURS)) await rm(policy);
  if (existsSync(kept)) await rename(kept, policy);
}
