import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** npm passes on a Ctrl+C that the terminal has sent to everybody already: the second one within this time is the same. */
const SAME_SIGNAL_MS = 300;
/** From the request to end until the end is made. */
const GRACE_MS = 10_000;

/**
 * Lets another program take over the terminal and resolves to its exit code (128 + n when signal n ended it).
 *
 * The program gets a session of its own. So Ctrl+C, which reaches the terminal's whole process group, reaches this
 * process alone, and the program hears of each signal once: from here.
 * With `group` the whole of its process group hears of it (for a program that starts others and keeps signals to itself).
 * With `limitMs` it is ended when that much time has passed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & { group?: boolean, limitMs?: number }} [options]
 * @returns {Promise<number>}
 */
export function handOver(command, args, { group = false, limitMs, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: 'inherit', detached: true });
    const send = (signal) => {
      if (child.pid !== undefined) process.kill(group ? -child.pid : child.pid, signal);
    };
    const stopForwarding = forwardSignals(send);
    const stopLimit = endAfter(limitMs, send);
    child.once('error', (error) => {
      stopForwarding();
      stopLimit();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      stopForwarding();
      stopLimit();
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}

function forwardSignals(send) {
  const lastSent = new Map();
  const forward = (signal) => {
    const now = performance.now();
    if (now - (lastSent.get(signal) ?? -Infinity) < SAME_SIGNAL_MS) return;
    lastSent.set(signal, now);
    try {
      send(signal);
    } catch (error) {
      // It ended a moment ago and its exit is on the way to us.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}

function endAfter(limitMs, send) {
  if (limitMs === undefined) return () => {};
  const timers = [setTimeout(() => send('SIGTERM'), limitMs), setTimeout(() => send('SIGKILL'), limitMs + GRACE_MS)];
  return () => timers.forEach(clearTimeout);
}
