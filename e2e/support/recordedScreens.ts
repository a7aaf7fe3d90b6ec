import { expect, type Route } from '@playwright/test';
import { openDialog } from './console.ts';
import { after, at, heading, home, local, logs, named, nodes, pressed, type Screen, settingsGroup } from './screens.ts';

// What the gateway of the pictures does not come to by itself: its replies are played, and the console is the real one.

type Reply = (route: Route) => unknown;

/** A screen with some of the gateway's replies played, by the pattern of their address, until the next one is opened. */
const played =
  (replies: Record<string, Reply>, open: Screen['open']): Screen['open'] =>
  async (page, scene) => {
    for (const [pattern, reply] of Object.entries(replies)) await page.route(pattern, reply);
    await open(page, scene);
  };

const refused: Reply = (route) =>
  route.fulfill({ status: 500, json: { message: 'The database is locked.', requestId: '7f3c-21' } });
/** Never answered, as a stream in which nothing happens. */
const silent: Reply = () => undefined;
/** A stream, alone or together with others over one connection. */
const STREAMS = '**/api/{nodes/stream,services/*/stream,streams}?*';

/** The gateway's own reply, changed. */
const changed =
  (change: (body: Record<string, unknown>) => void): Reply =>
  async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    change(body);
    await route.fulfill({ response, json: body });
  };

/** A tunnel that should run, and does not. */
const BROKEN = [{ feature: 'tunnel', reason: 'WireGuard is not installed.', fix: 'Install it.' }];
/** A list with nothing in it. */
const noRows: Reply = (route) => route.fulfill({ json: [] });

/** A gateway on which everything runs. */
const nothingOff = changed((body) => void (body['unavailable'] = []));
/** The same, and other machines reach the gateway by a name that it knows. */
const reached = changed((body) =>
  Object.assign(body, {
    unavailable: [],
    VPN_HOST: 'gateway.example.com',
    CONSOLE_URL: 'https://gateway.example.com:9443',
  }),
);

const configuration: Reply = (route) =>
  route.fulfill({
    contentType: 'text/plain',
    headers: { 'content-disposition': 'attachment; filename="printer.conf"' },
    body: `[Interface]\nAddress = 10.88.0.5/32\n[Peer]\nEndpoint = vpn.example.test:51820\nPublicKey = ${'x'.repeat(43)}=\n`,
  });

const MINUTE_MS = 60_000;
/** What a tunnel in use says of the nodes, by their names, and how long ago their handshakes are. */
const RUNTIME: Record<string, { status: string; clientIp: string; agoMs: number }> = {
  'web-1': { status: 'online', clientIp: '203.0.113.7', agoMs: MINUTE_MS },
  'office-gateway': { status: 'idle', clientIp: '198.51.100.20', agoMs: 2 * MINUTE_MS },
};
const alive = (node: Record<string, unknown>) => {
  const runtime = RUNTIME[String(node['name'])];
  if (runtime === undefined) return;
  const { agoMs, ...rest } = runtime;
  const traffic = { transferRx: 48_318_382, transferTx: 7_730_941 };
  Object.assign(node, rest, traffic, { latestHandshakeTimestamp: Date.now() - agoMs });
};
const aliveNodes = changed((body) => (body['data'] as Record<string, unknown>[]).forEach(alive));

/** What a gateway with a tunnel says of the services of a node: this of their backends, and nothing else is wrong. */
const backends = (finding: { health: string; healthReason: string | null }): Record<string, Reply> => ({
  '**/api/services/*/http?*': changed((body) => {
    for (const service of body['data'] as object[]) Object.assign(service, finding, { problem: null });
  }),
  [STREAMS]: silent,
});

const REMOTE = '**/api/nodes/*';
/** The page of the remote node, when this is on it. */
const remoteWith =
  (...texts: (string | RegExp)[]): Screen['open'] =>
  async (page, { gateway, nodeId }) => {
    await page.goto(`${gateway.consoleUrl}/nodes/${nodeId}`);
    for (const text of texts) await expect(page.getByText(text)).toBeVisible();
  };

/** Screens that show what goes wrong, and what only a tunnel brings about. */
export const recordedScreens: readonly Screen[] = [
  {
    name: 'off',
    open: played(
      { '**/api/config': changed((body) => void (body['unavailable'] = BROKEN)) },
      after(nodes, (page) => expect(page.getByText('The tunnel of this gateway is off.')).toBeVisible()),
    ),
  },
  {
    name: 'home-empty',
    open: played(
      { '**/api/services?*': noRows, '**/api/nodes?*': noRows, '**/api/domains?*': noRows },
      after(home, (page) => expect(page.getByText('0 of 4 done')).toBeVisible()),
    ),
  },
  { name: 'error', open: played({ '**/api/domains?*': refused }, at('/domains', heading('Something went wrong'))) },
  {
    name: 'error-at-start',
    open: played({ '**/api/auth/me': (route) => route.abort() }, at('/nodes', heading('Something went wrong'))),
  },
  {
    name: 'dialog-failed',
    open: played(
      { '**/assets/NodeFormDialog-*.js': (route) => route.abort() },
      after(pressed(nodes, 'Add Client'), (page) =>
        expect(openDialog(page).getByText('This part could not be loaded')).toBeVisible(),
      ),
    ),
  },
  {
    name: 'node-ready-qr',
    open: played(
      { '**/api/config': reached, '**/download?*': configuration },
      after(pressed(nodes, 'Add Client'), async (page) => {
        await named(page, 'plotter');
        await openDialog(page).getByRole('heading', { name: 'With WireGuard' }).click();
        await openDialog(page).getByRole('button', { name: 'Show QR Code' }).click();
        await expect(page.getByRole('img', { name: 'Configuration of plotter' })).toBeVisible();
      }),
    ),
  },
  {
    name: 'nodes-alive',
    open: played(
      { '**/api/config': nothingOff, '**/api/nodes?*': aliveNodes, [STREAMS]: silent },
      at('/nodes', (page) => page.getByText('1 minute ago')),
    ),
  },
  {
    name: 'node-alive',
    open: played(
      { '**/api/config': nothingOff, [REMOTE]: changed(alive), ...backends({ health: 'up', healthReason: null }) },
      remoteWith('Online', /^Up$/),
    ),
  },
  {
    name: 'node-not-joined',
    open: played(
      {
        '**/api/config': reached,
        ...backends({
          health: 'down',
          healthReason: 'No machine answers at 10.88.0.2:8080. Check the address, and that the machine is on.',
        }),
      },
      remoteWith('Not joined yet', 'No machine answers'),
    ),
  },
  { name: 'node-stopped', open: played({ [STREAMS]: refused }, remoteWith('Live updates have stopped.')) },
  {
    name: 'http-form-suggestions',
    open: after(pressed(local, 'Add Service to HTTP Services'), async (page) => {
      await openDialog(page).getByLabel('Public Domain').fill('example');
      await expect(page.getByRole('option', { name: 'app.example.test' })).toBeVisible();
    }),
  },
  {
    name: 'settings-address',
    open: played(
      {
        '**/api/public-address': changed((body) =>
          Object.assign(body, {
            source: 'setting',
            problem: null,
            next: 'gateway.example.com',
            warnings: [
              'gateway.example.com leads to the private address 192.168.7.20: only machines of its own network reach it.',
            ],
            facts: ['gateway.example.com leads to 192.168.7.20, which is the address of eth0 on this machine.'],
          }),
        ),
      },
      after(settingsGroup('gateway'), (page) =>
        expect(page.getByText('From the next start on it is gateway.example.com')).toBeVisible(),
      ),
    ),
  },
  {
    name: 'settings-backup',
    open: played(
      {
        '**/api/backup': changed((body) =>
          Object.assign(body, {
            last: {
              at: '2026-11-09T02:31:12.000Z',
              file: '/var/backups/sallyport/sallyport-2026-11-09T02-31-12Z.backup',
              isOld: true,
            },
          }),
        ),
      },
      after(settingsGroup('gateway'), (page) => expect(page.getByText(/^The last backup was made/)).toBeVisible()),
    ),
  },
  {
    name: 'logs-searched',
    open: after(logs, async (page) => {
      await page.getByLabel('Search the lines').fill('GET /');
      await page.getByLabel('Search the lines').press('Enter');
      for (const name of ['Info', 'Error']) await page.getByRole('checkbox', { name }).check();
      await page.getByRole('button', { name: 'Pause' }).click();
      await expect(page.getByText('Paused')).toBeVisible();
    }),
  },
];
