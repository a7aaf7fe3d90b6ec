import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from '@playwright/test';
import { choose, signIn } from '../support/console.ts';
import { startGateway, type GatewayProcess } from '../support/gateway.ts';

const PATIENCE_MS = 10_000;

let gateway: GatewayProcess;
let backend: Server;
let backendPort: number;
let publicPort: number;

/** A server of somebody's that says back what it hears, in capitals. */
async function startBackend(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** What comes back for a line that is sent. */
async function ask(socket: Socket, line: string): Promise<string> {
  const answer = once(socket, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) });
  socket.write(line);
  return String((await answer)[0]);
}

/** A connection to the public port, once it stands. */
async function visit(): Promise<Socket> {
  const socket = connect(publicPort, '127.0.0.1');
  await once(socket, 'connect', { signal: AbortSignal.timeout(PATIENCE_MS) });
  return socket;
}

async function visitByTls(): Promise<Socket> {
  // The certificate of a domain that nobody has validated is self-signed.
  const socket = connectTls({
    port: publicPort,
    host: '127.0.0.1',
    servername: 'echo.example.test',
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect', { signal: AbortSignal.timeout(PATIENCE_MS) });
  return socket;
}

test.beforeAll(async () => {
  gateway = await startGateway({ tcpPorts: 1 });
  publicPort = gateway.ports.tcp.from;
  backend = await startBackend();
  const address = backend.address();
  backendPort = typeof address === 'object' && address ? address.port : 0;
});

test.afterAll(async () => {
  backend?.close();
  await gateway?.close();
});

test('an administrator exposes a TCP service, and visitors connect through it', async ({ page }) => {
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/nodes`);
  await choose(page, 'Local', 'Expose TCP');

  const form = page.getByRole('dialog', { name: 'Expose TCP Service on Node' });
  await expect(form.getByLabel('Node Name')).toHaveValue('Local');
  await expect(form.getByLabel('Backend Port')).toHaveValue('1883');
  await expect(form.getByText(`From ${publicPort} to ${publicPort}.`)).toBeVisible();
  await form.getByLabel('Service Name').fill('Echo');
  await form.getByLabel('Backend Host').fill('127.0.0.1');
  await form.getByLabel('Backend Port').fill(String(backendPort));
  // What only the gateway can know comes back next to its field.
  await form.getByLabel('Public Port').fill('1');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByText(`This field must be greater than or equal to ${publicPort}`)).toBeVisible();
  await form.getByLabel('Public Port').fill('');
  await form.getByRole('button', { name: 'Save' }).click();

  const info = page.getByRole('dialog', { name: 'Your Service is Now Publicly Available' });
  await expect(info.getByText(`tcp://localhost:${publicPort}`)).toBeVisible();
  // What the dialog promises is true the moment it says so.
  const first = await visit();
  expect(await ask(first, 'hello\n')).toBe('HELLO\n');
  await page.keyboard.press('Escape');
  await expect(info).toBeHidden();

  await page.getByRole('link', { name: 'Local', exact: true }).click();
  const row = page.getByRole('row', { name: /Echo/ });
  await expect(row.getByText(`tcp://127.0.0.1:${backendPort}`)).toBeVisible();
  await expect(row.getByText('Backend Up')).toBeVisible();

  // Closing means closed, for who is connected too.
  // A reset is an end like another.
  first.on('error', () => undefined);
  await choose(page, 'Echo', 'Disable Access');
  await page.getByRole('button', { name: 'Yes, disable public access!' }).click();
  await expect(page.getByText('Service disabled from public access successfully!')).toBeVisible();
  await expect.poll(() => first.destroyed).toBe(true);
  await expect(visit()).rejects.toThrow(/ECONNREFUSED/);

  await choose(page, 'Echo', 'Enable Access');
  await page.getByRole('button', { name: 'Yes, enable public access!' }).click();
  await expect(page.getByText('Service exposed successfully!')).toBeVisible();
  const second = await visit();
  expect(await ask(second, 'again\n')).toBe('AGAIN\n');
  second.destroy();

  // Under a name of its own and with TLS, for an hour.
  await choose(page, 'Echo', 'Edit Service');
  await form.getByLabel('Public Domain').fill('echo.example.test');
  await form.getByLabel('Enable SSL Termination').check();
  await form.getByLabel('Time to Live').selectOption('1 hour');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(info.getByText(`tcp://echo.example.test:${publicPort}`)).toBeVisible();
  await expect(info.getByText('in 1 h')).toBeVisible();
  const third = await visitByTls();
  expect(await ask(third, 'secret\n')).toBe('SECRET\n');
  third.destroy();

  // All of it is still there after a reload.
  await page.reload();
  await expect(row.getByText(`tcp://echo.example.test:${publicPort}`)).toBeVisible();
  await expect(row.getByText('in 1 h')).toBeVisible();

  await choose(page, 'Echo', 'Delete Service');
  await page.getByRole('button', { name: 'Yes, delete it!' }).click();
  await expect(page.getByText('Service deleted successfully!')).toBeVisible();
  await expect(page.getByText('No TCP services yet')).toBeVisible();
  await expect(visit()).rejects.toThrow(/ECONNREFUSED/);
});
