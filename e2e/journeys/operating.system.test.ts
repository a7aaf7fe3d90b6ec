import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type GatewayProcess } from '../support/gateway.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

const run = promisify(execFile);
const PAGE = path.resolve(import.meta.dirname, '../../docs/operating.md');

let gateway: GatewayProcess;
let web: WebServer;

beforeAll(async () => {
  gateway = await startGateway();
  web = await startWebServer((_request, response) => response.end('hello'));
});

afterAll(async () => {
  await web?.close();
  await gateway?.close();
});

/** The commands of the section "Ten calls", each with what the page says it answers. */
async function commands() {
  const page = await readFile(PAGE, 'utf8');
  const section = page.slice(page.indexOf('## Ten calls'));
  const end = section.indexOf('\n## ', 3);
  return [
    ...(end < 0 ? section : section.slice(0, end)).matchAll(
      /```sh\n([\s\S]*?)```\n(?:\n```(?:json|text)\n([\s\S]*?)```)?/g,
    ),
  ].map(([, command = '', answer]) => ({ command, answer: answer?.trim() }));
}

/** Every word of the page's example must be in the answer; `…` stands for what differs from run to run. */
function expectLike(actual: string, example: string, command: string) {
  for (const part of example
    .split('…')
    .map((piece) => piece.trim())
    .filter(Boolean)) {
    expect(actual, command).toContain(part);
  }
}

test('the ten calls of docs/operating.md do what the page says', async () => {
  const blocks = await commands();
  const calls = blocks.flatMap(({ command }) => command.match(/\bcurl --silent/g) ?? []);
  expect(calls).toHaveLength(10);

  // One shell for all, as a newcomer's terminal: what a block sets, the next one uses. A marker ends each block's output.
  const script = blocks.map(({ command }) => `${command}\nprintf '\\n--- next ---\\n'`).join('\n');
  const { stdout } = await run('bash', ['--norc', '-exo', 'pipefail', '-c', script], {
    cwd: gateway.data,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: gateway.data,
      no_proxy: '*',
      GATEWAY: gateway.apiUrl,
      PASSWORD: gateway.password,
      HTTPS_PORT: String(gateway.ports.https),
      WEB_PORT: String(web.port),
    },
    timeout: 80_000,
  });
  const answers = stdout.split('\n--- next ---\n');
  blocks.forEach(({ command, answer }, index) => {
    if (answer) expectLike(answers[index] ?? '', answer, command);
  });
});
