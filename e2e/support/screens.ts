import { expect, type Locator, type Page } from '@playwright/test';
import { openDialog } from './console.ts';
import { DOMAIN, type ScreenScene } from './screenScene.ts';

/** A screen, or a dialog on one: its name and how to get there from anywhere in the signed-in console. */
export type Screen = {
  name: string;
  /** What it is without a session. */
  signedOut?: true;
  /** The only windows in which there is such a thing. */
  only?: 'wide' | 'narrow';
  open: (page: Page, scene: ScreenScene) => Promise<void>;
};

/** Goes to a path of the console and waits for what is to be seen there. */
export const at = (path: string, ready: (page: Page) => Locator) => async (page: Page, scene: ScreenScene) => {
  await page.goto(`${scene.gateway.consoleUrl}${path}`);
  await expect(ready(page).first()).toBeVisible();
};
export const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name, level: 1 });

/** A screen, and what is done there. */
export const after =
  (from: Screen['open'], then: (page: Page, scene: ScreenScene) => Promise<unknown>): Screen['open'] =>
  async (page, scene) => {
    await from(page, scene);
    await then(page, scene);
  };

export const home = at('/', heading('Welcome to Sallyport'));
const login = at('/login', (page) => page.getByRole('button', { name: /sign in/i }));
export const nodes = at('/nodes', (page) => page.getByRole('link', { name: 'web-1' }));
const services = at('/services', (page) => page.getByRole('link', { name: 'Cameras' }));
/** Some services of a list are selected. */
const selecting = (from: Screen['open'], ...names: string[]) =>
  after(from, async (page) => {
    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}, ` }).check();
  });
/** One of these is closed. */
const selected = selecting(services, 'Shop', 'Broker', 'Staging');
const domains = at('/domains', (page) => page.getByRole('button', { name: 'Actions of app.example.test' }));
export const local = at('/nodes/1', (page) => page.getByRole('button', { name: 'Actions of Shop' }));
const remote: Screen['open'] = (page, scene) =>
  at(`/nodes/${scene.nodeId}`, () => page.getByText('old laptop'))(page, scene);
export const settings = at('/settings/sessions', (page) => page.getByText('This session'));
/** A group of settings, once this is there. */
export const settingsGroup = (group: string, ...texts: string[]): Screen['open'] =>
  after(
    at(`/settings/${group}`, (page) => page.getByRole('heading', { level: 1 })),
    async (page) => {
      for (const text of texts) await sees(page, text);
    },
  );
export const logs: Screen['open'] = (page, scene) =>
  at(`/nodes/1/http/${scene.serviceId}/logs`, () => page.getByText('/health'))(page, scene);

/** The page of a service of the local node, once its log is there. */
const service: Screen['open'] = (page, scene) =>
  at(`/nodes/1/http/${scene.serviceId}`, () => page.getByText('/health'))(page, scene);
/** The page of another service, by its name in the list. */
const serviceNamed = (name: string): Screen['open'] =>
  after(services, async (page) => {
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Settings' })).toBeVisible();
  });

/** Opens a row's menu. */
const menu = async (page: Page, row: string) => {
  await page
    .getByRole('button', { name: `Actions of ${row}`, exact: true })
    .first()
    .click();
  await expect(page.getByRole('menu')).toBeVisible();
};
/** After a screen, an action of a row. */
export const chosen = (from: Screen['open'], row: string, action: string) =>
  after(from, async (page) => {
    await menu(page, row);
    await page.getByRole('menuitem', { name: action }).click();
    await expect(openDialog(page)).toBeVisible();
  });
/** After a screen, a press of a button. */
export const pressed = (from: Screen['open'], button: string, exact = false) =>
  after(from, async (page) => {
    await page.getByRole('button', { name: button, exact }).first().click();
    await expect(openDialog(page)).toBeVisible();
  });
/** Fills in the name of something new, and tries to save it. */
export const named = async (page: Page, name: string) => {
  await openDialog(page).getByLabel(/^Name/).fill(name);
  await saved(page);
};
/** After a dialog, an attempt to save it. */
export const saved = async (page: Page) => openDialog(page).getByRole('button', { name: 'Save' }).click();
export const sees = (page: Page, text: string | RegExp) => expect(page.getByText(text).first()).toBeVisible();

/** Every screen and every dialog of the console that a gateway comes to by itself. */
export const screens: readonly Screen[] = [
  { name: 'login', signedOut: true, open: login },
  {
    name: 'login-refused',
    signedOut: true,
    open: after(login, async (page) => {
      await page.route('**/api/auth/login', (route) => route.fulfill({ status: 401, json: { message: 'no' } }));
      await page.getByLabel(/^Username/).fill('admin');
      await page.getByLabel(/^Password/).fill('wrong');
      await page.getByRole('button', { name: /sign in/i }).click();
      await sees(page, 'Invalid Credentials');
      await page.unroute('**/api/auth/login');
    }),
  },
  { name: 'documentation', open: at('/docs', (page) => page.getByRole('heading', { level: 1 })) },
  { name: 'home', open: home },
  {
    name: 'help',
    open: after(home, async (page) => {
      await page.getByRole('button', { name: 'Need help?' }).click();
      await expect(page.getByRole('menu')).toBeVisible();
    }),
  },
  { name: 'palette', open: pressed(nodes, 'Search or run a command') },
  {
    name: 'palette-search',
    open: after(pressed(nodes, 'Search or run a command'), async (page) => {
      await page.getByRole('combobox', { name: 'Search or run a command' }).fill('e');
      await expect(page.getByRole('option', { name: /Broker/ })).toBeVisible();
    }),
  },
  {
    name: 'palette-actions',
    open: after(pressed(nodes, 'Search or run a command'), async (page) => {
      await page.getByRole('combobox', { name: 'Search or run a command' }).fill('staging');
      await expect(page.getByRole('option', { name: /Staging/ })).toBeVisible();
      await page.keyboard.press('ArrowRight');
      await expect(page.getByRole('option', { name: 'Enable Access' })).toBeVisible();
    }),
  },
  {
    name: 'shortcuts',
    open: after(nodes, async (page) => {
      await page.keyboard.press('Shift+?');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    }),
  },
  {
    name: 'navigation',
    only: 'wide',
    open: after(home, async (page) => {
      await page.getByRole('button', { name: 'Expand sidebar' }).click();
      await expect(page.getByRole('link', { name: 'Domain Names' }).first()).toBeVisible();
    }),
  },
  { name: 'drawer', only: 'narrow', open: pressed(home, 'Open navigation') },
  { name: 'not-found', open: at('/no/such/page', (page) => page.getByText("this page doesn't exist")) },

  { name: 'nodes', open: nodes },
  { name: 'nodes-no-match', open: at('/nodes?search=nothing-like-it', (page) => page.getByText(/no nodes match/i)) },
  {
    name: 'nodes-tagged',
    open: at('/nodes?tag=home', (page) => page.getByRole('button', { name: /^No longer only/ })),
  },
  { name: 'nodes-menu', open: after(nodes, (page) => menu(page, 'web-1')) },
  { name: 'node-form', open: pressed(nodes, 'Add Client') },
  {
    name: 'node-form-gateway',
    open: after(pressed(nodes, 'Add Client'), async (page) => {
      await openDialog(page).getByText('Act as a network gateway').click();
      await openDialog(page).getByRole('button', { name: 'Advanced Form' }).click();
      await saved(page);
      await sees(page, 'This field is required');
    }),
  },
  {
    name: 'node-ready',
    open: after(pressed(nodes, 'Add Client'), async (page) => {
      await named(page, 'printer');
      await expect(page.getByRole('dialog', { name: 'Your Node is Ready' })).toBeVisible();
    }),
  },
  { name: 'join-keys', open: after(nodes, (page) => page.getByText('rack 2').scrollIntoViewIfNeeded()) },
  { name: 'join-key-form', open: pressed(nodes, 'Add Join Key') },
  {
    name: 'join-key-result',
    open: after(pressed(nodes, 'Add Join Key'), async (page) => {
      await named(page, 'rack 3');
      await sees(page, 'New Join Key');
    }),
  },
  { name: 'join-key-delete', open: chosen(nodes, 'rack 2', 'Delete') },
  { name: 'node-edit', open: chosen(nodes, 'office-gateway', 'Edit Node') },
  { name: 'node-edit-tags', open: chosen(nodes, 'web-1', 'Edit Node') },
  { name: 'node-disconnect', open: chosen(nodes, 'web-1', 'Disconnect') },
  { name: 'node-connect', open: chosen(nodes, 'backup-pi', 'Connect') },
  { name: 'node-delete', open: chosen(nodes, 'web-1', 'Delete Node') },
  { name: 'node', open: remote },
  { name: 'node-local', open: local },
  { name: 'node-missing', open: at('/nodes/9999', (page) => page.getByRole('link', { name: /nodes/i })) },

  {
    name: 'token-form',
    open: after(pressed(remote, 'Add Token'), (page) => expect(openDialog(page).getByRole('grid')).toBeVisible()),
  },
  {
    name: 'token-result',
    open: after(pressed(remote, 'Add Token'), async (page) => {
      await named(page, 'phone');
      await expect(page.getByRole('dialog', { name: 'New Access Token Generated' })).toBeVisible();
    }),
  },
  { name: 'token-revoke', open: chosen(remote, 'deploy', 'Revoke') },
  { name: 'token-delete', open: chosen(remote, 'deploy', 'Delete') },

  {
    name: 'http-form',
    open: after(pressed(local, 'Add Service to HTTP Services'), async (page) => {
      const form = openDialog(page);
      await form.getByLabel('Service Name').fill('Hello');
      await form.getByLabel('Public Domain').fill('hello.example.test');
      await form.getByLabel('Backend Port').fill('8080');
      await sees(page, 'A new one is added to the domains.');
    }),
  },
  {
    name: 'http-form-refused',
    open: after(chosen(nodes, 'office-gateway', 'Expose HTTP'), async (page) => {
      await saved(page);
      await sees(page, 'This field is required');
    }),
  },
  {
    name: 'http-form-split',
    open: after(chosen(nodes, 'web-1', 'Expose HTTP'), async (page) => {
      const form = openDialog(page);
      await form.getByLabel('Public Domain').fill('https://ada:secret@hello.example.test:8443/x?y=1');
      await form.getByLabel('Public Domain').press('Tab');
      await form.getByText('Limits and details').click();
      await sees(page, 'Split from');
    }),
  },
  { name: 'http-form-builtin', open: chosen(local, 'Sallyport console', 'Edit Service') },
  { name: 'tcp-form', open: chosen(nodes, 'Local', 'Expose TCP') },
  { name: 'service-info', open: chosen(local, 'Wiki', 'Info') },
  { name: 'service-info-closed', open: chosen(local, 'Staging', 'Info') },
  { name: 'service-enable', open: chosen(local, 'Staging', 'Enable Access') },
  { name: 'service-disable', open: chosen(local, 'Shop', 'Disable Access') },
  { name: 'service-delete', open: chosen(local, 'Shop', 'Delete Service') },

  { name: 'services', open: services },
  { name: 'services-menu', open: after(services, (page) => menu(page, 'Shop')) },
  {
    name: 'services-filtered',
    open: at('/services?status=closed&node=1', (page) => page.getByRole('link', { name: 'Staging' })),
  },
  {
    name: 'services-no-match',
    open: at('/services?kind=udp', (page) => page.getByRole('button', { name: 'Clear filters' })),
  },
  { name: 'service', open: service },
  { name: 'service-menu', open: after(service, (page) => menu(page, 'Shop')) },
  { name: 'service-limited', open: serviceNamed('Wiki') },
  { name: 'service-closed', open: serviceNamed('Staging') },
  { name: 'service-tcp', open: serviceNamed('Broker') },
  { name: 'service-failing', open: serviceNamed('Cameras') },
  { name: 'service-builtin', open: serviceNamed('Sallyport console') },
  {
    name: 'service-missing',
    open: at('/nodes/1/http/9999', (page) => page.getByText('There is no HTTP service 9999')),
  },
  { name: 'services-edit', open: chosen(services, 'Shop', 'Edit Service') },
  {
    name: 'services-selected',
    // Few, so that the bar lies over none of them.
    open: selecting(
      at('/services?search=shop', (page) => page.getByRole('link', { name: 'Old shop' })),
      'Shop',
      'Old shop',
    ),
  },
  { name: 'services-delete', open: pressed(selected, 'Delete') },
  { name: 'services-tag', open: pressed(selected, 'Tag', true) },
  { name: 'services-limit', open: pressed(selected, 'Time limit') },
  {
    name: 'services-refused',
    open: after(pressed(selected, 'Time limit'), async (page) => {
      // Someone else changes one of them first.
      await page.route('**/api/services/bulk', (route) => {
        const body = route.request().postDataJSON();
        body.items[0].version += 1;
        return route.continue({ postData: JSON.stringify(body) });
      });
      await openDialog(page).getByRole('button', { name: 'Limit 2 of 3 services' }).click();
      await expect(page.getByRole('dialog', { name: '1 of 2 services not limited' })).toBeVisible();
    }),
  },
  {
    name: 'services-lost',
    open: after(selected, async (page) => {
      await page.route('**/api/services/bulk', (route) => route.abort());
      await page.getByRole('button', { name: 'Enable', exact: true }).click();
      await expect(page.getByRole('dialog', { name: 'The gateway did not answer' })).toBeVisible();
    }),
  },

  { name: 'domains', open: domains },
  {
    name: 'domains-unfolded',
    open: after(domains, async (page) => {
      await page.getByRole('button', { name: `Services of ${DOMAIN}` }).click();
      await sees(page, 'Shop');
    }),
  },
  { name: 'domain-form', open: pressed(domains, 'Add Domain') },
  {
    name: 'domain-form-refused',
    open: after(pressed(domains, 'Add Domain'), async (page) => {
      const form = openDialog(page);
      await form.getByLabel(/^Domain/).fill('no domain');
      await form.getByText('Nodes and details').click();
      await saved(page);
      await sees(page, 'Skip Domain Validation');
    }),
  },
  {
    name: 'domain-form-elsewhere',
    open: after(pressed(domains, 'Add Domain'), async (page) => {
      const form = openDialog(page);
      await form.getByLabel(/^Domain/).fill('elsewhere.shop.test');
      await saved(page);
      await sees(page, 'Check again');
    }),
  },
  {
    name: 'domain-dns',
    open: after(chosen(domains, 'elsewhere.example.test', 'DNS'), (page) => sees(page, 'old-host.example.net')),
  },
  { name: 'domain-delete', open: chosen(domains, 'app.example.test', 'Delete Domain') },

  { name: 'logs', open: logs },
  {
    name: 'logs-details',
    open: after(logs, async (page) => {
      await page.getByRole('option').filter({ hasText: '/broken' }).first().click();
      await page.getByRole('complementary', { name: 'Details of the line' }).waitFor();
    }),
  },
  { name: 'logs-lines', open: after(logs, (page) => page.getByRole('radio', { name: 'Lines' }).check()) },
  {
    name: 'logs-empty',
    open: at('/domains/wiki.example.test/logs', (page) => page.getByText('Live', { exact: true })),
  },
  {
    name: 'logs-stopped',
    open: async (page, scene) => {
      const reply = { status: 501, json: { message: 'This gateway keeps no logs.' } };
      await page.route('**/api/logs/stream*', (route) => route.fulfill(reply));
      await at('/domains/wiki.example.test/logs', (shown) => shown.getByText('No logs are kept here'))(page, scene);
      await page.unroute('**/api/logs/stream*');
    },
  },
  {
    name: 'logs-missing',
    open: at('/domains/nowhere.example.test/logs', (page) => page.getByRole('link', { name: /domain/i })),
  },
];
