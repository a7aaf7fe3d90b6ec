import { readdirSync, readFileSync } from 'node:fs';
import { nginxProcesses } from '../../e2e/support/nginx.ts';
import { memoryOf } from '../../packages/gateway/src/ingress/nginx/process.ts';

const MB = 1024 ** 2;

/** Megabytes of the gateway, its other processes and nginx, what they share counted once. */
export function memoryOfAll(gateway) {
  const { master = 0, workers = [] } = nginxProcesses(gateway.data) ?? {};
  const pids = [...withChildren(gateway.child().pid), master, ...workers.map(({ pid }) => pid)];
  return pids.reduce((sum, pid) => sum + memoryOf(pid), 0) / MB;
}

function withChildren(parent) {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === parent);
  return [parent, ...children.flatMap((name) => withChildren(Number(name)))];
}

const parentOf = (name) => Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1]);

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}
