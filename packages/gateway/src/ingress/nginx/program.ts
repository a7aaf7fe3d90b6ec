import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '../../machine/runProgram.ts';
import { StartError } from '../../machine/startError.ts';
import { KEPT_MEMORY } from '../../rules/keptMemory.ts';

/** The nginx that is installed. */
export type NginxProgram = {
  binary: string;
  version: string;
  hasStream: boolean;
  streamModule: string | null;
  /** The module that takes headers out of requests; null when there is none that this nginx can load. */
  headersModule: string | null;
  /** Whether it can close a proxied TCP connection in one direction alone. */
  hasHalfClose: boolean;
};

/** Ubuntu 22.04 has 1.18. */
const HALF_CLOSE_SINCE = '1.21.4';
const TEST_TIMEOUT_MS = 30_000;
// Directories that hold nginx but are often missing from the path of accounts other than root's.
const MORE_DIRECTORIES = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

/**
 * Finds nginx and what it can do.
 * @throws {StartError} when there is none
 */
export async function findNginx(wanted?: string): Promise<NginxProgram> {
  const binary = wanted ?? findProgram('nginx', MORE_DIRECTORIES);
  const { code, output } =
    binary === null ? { code: -1, output: '' } : await runNginx(binary, ['-V']).catch(() => ({ code: -1, output: '' }));
  if (binary === null || code !== 0) {
    throw new StartError(
      'nginx was not found. Install it (on Debian and Ubuntu: apt-get install nginx-light libnginx-mod-stream libnginx-mod-http-headers-more-filter), then start again.',
    );
  }
  const modules = /--modules-path=(\S+)/.exec(output)?.[1];
  const builtIn = /--with-stream(?:\s|$)/.test(output);
  const moduleOf = (name: string): string | null => {
    const file = modules === undefined ? null : join(modules, name);
    return file !== null && existsSync(file) ? file : null;
  };
  const streamModule = builtIn ? null : moduleOf('ngx_stream_module.so');
  const headersModule = moduleOf('ngx_http_headers_more_filter_module.so');
  const version = /nginx\/([\d.]+)/.exec(output)?.[1] ?? 'unknown';
  return {
    binary,
    version,
    hasStream: builtIn || streamModule !== null,
    streamModule,
    headersModule: headersModule !== null && (await canLoad(binary, headersModule)) ? headersModule : null,
    hasHalfClose: version.localeCompare(HALF_CLOSE_SINCE, 'en', { numeric: true }) >= 0,
  };
}

/** Whether a module fits this nginx: all that is missing then is the rest of a configuration. */
async function canLoad(binary: string, module: string): Promise<boolean> {
  const args = ['-t', '-q', '-e', 'stderr', '-p', '/', '-c', '/dev/null', '-g', `load_module "${module}";`];
  const { output } = await runNginx(binary, args).catch(() => ({ output: '' }));
  return output.includes('no "events" section');
}

/** What nginx says against a configuration; null when nothing speaks against it. */
export async function testConfiguration(binary: string, prefix: string, mainFile: string): Promise<string | null> {
  // Its error log is standard error alone: what -t says must not be taken for the running nginx's words.
  const { code, output } = await runNginx(binary, ['-t', '-q', '-e', 'stderr', '-p', prefix, '-c', mainFile]);
  return code === 0 ? null : output;
}

/**
 * Starts nginx as a daemon and returns when it has left the foreground or failed.
 *
 * It inherits no pipe, or the end of the gateway would reach it, and no variable of the gateway's environment, which
 * may hold secrets. Its command line tells later gateways whose nginx it is.
 * @returns what it said on standard error when it failed, else null
 */
export async function startDaemon(options: {
  binary: string;
  prefix: string;
  mainFile: string;
  errorLog: string;
  outputFile: string;
}): Promise<string | null> {
  const { binary, prefix, mainFile, errorLog, outputFile } = options;
  const output = await open(outputFile, 'w', 0o600);
  try {
    const stdio = ['ignore', 'ignore', output.fd] as const;
    const daemon = spawn(binary, ['-e', errorLog, '-p', prefix, '-c', mainFile], {
      stdio: [...stdio],
      env: environment(),
      cwd: '/',
    });
    const [code, signal]: unknown[] = await once(daemon, 'exit');
    if (code === 0) return null;
    const text = await readFile(outputFile, 'utf8');
    return text || `nginx ended with ${typeof signal === 'string' ? signal : `exit code ${String(code)}`}`;
  } finally {
    await output.close();
  }
}

function runNginx(binary: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const options = { env: environment(), cwd: '/', timeout: TEST_TIMEOUT_MS, maxBuffer: 1 << 20 };
    execFile(binary, args, options, (error, _stdout, stderr) => {
      if (error === null) resolve({ code: 0, output: stderr });
      // A word instead of a number: the program could not be run at all.
      else if (typeof error.code === 'string') reject(error);
      else resolve({ code: typeof error.code === 'number' ? error.code : -1, output: stderr || error.message });
    });
  });
}

function environment(): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    GLIBC_TUNABLES: KEPT_MEMORY,
    // nginx writes its title over its arguments and environment; the padding makes room for the whole of it.
    NGINX_TITLE_ROOM: '-'.repeat(64),
  };
}
