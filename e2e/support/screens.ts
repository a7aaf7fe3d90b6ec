import { expect } from '@playwright/test';
import { recordedScreens } from './recordedScreens.ts';
import {
  at,
  chosen,
  domains,
  heading,
  local,
  menu,
  nodes,
  openDialog,
  pressed,
  remote,
  saved,
  type Screen,
} from './screenSteps.ts';

/** Every screen and every dialog of the console. */
export const screens: readonly Screen[] = [
  { name: 'login', signedOut: true, open: at('/login', (page) => page.getByRole('button', { name: /sign in/i })) },
  {
    name: 'login-refused',
    signedOut: true,
    open: async (page, scene) => {
      await at('/login', (shown) => shown.getByRole('button', { name: /sign in/i }))(page, scene);
      await page.route('**/api/auth/login', (route) => route.fulfill({ status: 401, json: { message: 'no' } }));
      await page.getByLabel(/^Username/).fill('admin');
      await page.getByLabel(/^Password/).fill('wrong');
      await page.getByRole('button', { name: /sign in/i }).click();
      await expect(page.getByText('Invalid Credentials')).toBeVisible();
      await page.unroute('**/api/auth/login');
    },
  },
  { name: 'documentation', open: at('/docs', (page) => page.getByRole('heading', { level: 1 })) },
  { name: 'home', open: at('/', heading('Welcome to Sallyport')) },
  {
    name: 'help',
    open: async (page, scene) => {
      await at('/', heading('Welcome to Sallyport'))(page, scene);
      await page.getByRole('button', { name: 'Need help?' }).click();
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
  {
    name: 'navigation',
    only: 'wide',
    open: async (page, scene) => {
      await at('/', heading('Welcome to Sallyport'))(page, scene);
      await page.getByRole('button', { name: 'Expand sidebar' }).click();
      await expect(page.getByRole('link', { name: 'Domain Names' }).first()).toBeVisible();
    },
  },
  {
    name: 'drawer',
    only: 'narrow',
    open: async (page, scene) => {
      await at('/', heading('Welcome to Sallyport'))(page, scene);
      await page.getByRole('button', { name: 'Open navigation' }).click();
      await expect(openDialog(page).getByRole('link', { name: 'Domain Names' })).toBeVisible();
    },
  },
  { name: 'not-found', open: at('/no/such/page', (page) => page.getByText("this page doesn't exist")) },

  { name: 'nodes', open: nodes },
  { name: 'nodes-no-match', open: at('/nodes?search=nothing-like-it', (page) => page.getByText(/no nodes match/i)) },
  {
    name: 'nodes-menu',
    open: async (page, scene) => {
      await nodes(page, scene);
      await menu(page, 'web-1');
    },
  },
  { name: 'node-form', open: pressed(nodes, 'Add Client') },
  {
    name: 'node-form-gateway',
    open: async (page, scene) => {
      await pressed(nodes, 'Add Client')(page, scene);
      await openDialog(page).getByText('Act as a network gateway').click();
      await openDialog(page).getByRole('button', { name: 'Advanced Form' }).click();
      await saved(page);
      await expect(page.getByText('This field is required').first()).toBeVisible();
    },
  },
  {
    name: 'node-ready',
    open: async (page, scene) => {
      await pressed(nodes, 'Add Client')(page, scene);
      await openDialog(page).getByLabel(/^Name/).fill('printer');
      await saved(page);
      await expect(page.getByRole('dialog', { name: 'Your Node is Ready' })).toBeVisible();
    },
  },
  { name: 'node-edit', open: chosen(nodes, 'office-gateway', 'Edit Node') },
  { name: 'node-disconnect', open: chosen(nodes, 'web-1', 'Disconnect') },
  { name: 'node-connect', open: chosen(nodes, 'backup-pi', 'Connect') },
  { name: 'node-delete', open: chosen(nodes, 'web-1', 'Delete Node') },
  { name: 'node', open: remote },
  { name: 'node-local', open: local },
  { name: 'node-missing', open: at('/nodes/9999', (page) => page.getByRole('link', { name: /nodes/i })) },

  {
    name: 'token-form',
    open: async (page, scene) => {
      await pressed(remote, 'Add Token')(page, scene);
      await expect(openDialog(page).getByRole('grid')).toBeVisible();
    },
  },
  {
    name: 'token-result',
    open: async (page, scene) => {
      await pressed(remote, 'Add Token')(page, scene);
      await openDialog(page).getByLabel(/^Name/).fill('phone');
      await saved(page);
      await expect(page.getByRole('dialog', { name: 'New Access Token Generated' })).toBeVisible();
    },
  },
  { name: 'token-revoke', open: chosen(remote, 'deploy', 'Revoke') },
  { name: 'token-delete', open: chosen(remote, 'deploy', 'Delete') },

  { name: 'http-form', open: chosen(nodes, 'Local', 'Expose HTTP') },
  {
    name: 'http-form-refused',
    open: async (page, scene) => {
      await chosen(nodes, 'Local', 'Expose HTTP')(page, scene);
      await saved(page);
      await expect(page.getByText('This field is required').first()).toBeVisible();
    },
  },
  { name: 'http-form-builtin', open: chosen(local, 'Sallyport console', 'Edit Service') },
  { name: 'tcp-form', open: chosen(nodes, 'Local', 'Expose TCP') },
  { name: 'service-info', open: chosen(local, 'Wiki', 'Info') },
  { name: 'service-info-closed', open: chosen(local, 'Staging', 'Info') },
  { name: 'service-enable', open: chosen(local, 'Staging', 'Enable Access') },
  { name: 'service-disable', open: chosen(local, 'Shop', 'Disable Access') },
  { name: 'service-delete', open: chosen(local, 'Shop', 'Delete Service') },

  { name: 'domains', open: domains },
  {
    name: 'domains-unfolded',
    open: async (page, scene) => {
      await domains(page, scene);
      await page.getByRole('button', { name: `Services of ${scene.domain}` }).click();
      await expect(page.getByText('Shop')).toBeVisible();
    },
  },
  { name: 'domain-form', open: pressed(domains, 'Add Domain') },
  {
    name: 'domain-form-refused',
    open: async (page, scene) => {
      await pressed(domains, 'Add Domain')(page, scene);
      await openDialog(page)
        .getByLabel(/^Domain/)
        .fill('no domain');
      await openDialog(page).getByText('Enable OAuth2 authentication').click();
      await saved(page);
      await expect(page.getByText('Skip Domain Validation')).toBeVisible();
    },
  },
  { name: 'domain-delete', open: chosen(domains, 'app.example.test', 'Delete Domain') },

  {
    name: 'logs',
    open: async (page, scene) =>
      at(`/nodes/1/http/${scene.serviceId}/logs`, () => page.getByText('/health'))(page, scene),
  },
  {
    name: 'logs-empty',
    open: at('/domains/wiki.example.test/logs', (page) => page.getByText('Live', { exact: true })),
  },
  {
    name: 'logs-stopped',
    open: async (page, scene) => {
      const reply = { status: 501, json: { message: 'This gateway keeps no logs.' } };
      await page.route('**/api/logs/stream*', (route) => route.fulfill(reply));
      await at('/domains/wiki.example.test/logs', (shown) => shown.getByText('Stopped', { exact: true }))(page, scene);
      await page.unroute('**/api/logs/stream*');
    },
  },
  {
    name: 'logs-missing',
    open: at('/domains/nowhere.example.test/logs', (page) => page.getByRole('link', { name: /domain/i })),
  },
  ...recordedScreens,
];
