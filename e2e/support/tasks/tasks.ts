import { expect } from '@playwright/test';
import { curl } from '../visit.ts';
import type { Hand } from './hand.ts';
import { BROKEN, domainOf, pathOf, TAGGED, tagOf, type TaskScene } from './scene.ts';
import {
  button,
  clipboard,
  dialog,
  findInPalette,
  goTo,
  listTagged,
  openService,
  selectAll,
  serviceNamed,
} from './steps.ts';

/** Something that an administrator does often, from the page that the console opens with. */
export type Task = {
  name: string;
  /** With a mouse and on a phone. */
  pointing: (hand: Hand, scene: TaskScene) => Promise<void>;
  /** Nothing but keys. */
  keys: (hand: Hand, scene: TaskScene) => Promise<void>;
  /** What has come of it. */
  outcome: (hand: Hand, scene: TaskScene) => Promise<void>;
};

/** Does a task by the means of the hand. */
export const perform = async (task: Task, hand: Hand, scene: TaskScene): Promise<void> => {
  await hand.think();
  await (hand.means === 'keyboard' ? task.keys : task.pointing)(hand, scene);
};

const copyAddress: Task = {
  name: 'copy the address of a service',
  async pointing(hand) {
    await openService(hand, `Wiki ${hand.place}`);
    await hand.point(button(hand, /^Copy the address of Wiki/));
  },
  async keys(hand) {
    await openService(hand, `Wiki ${hand.place}`);
    await hand.press('y');
  },
  async outcome(hand, scene) {
    const { publicAccess } = await serviceNamed(scene, `Wiki ${hand.place}`);
    await expect.poll(() => clipboard(hand)).toBe(publicAccess);
  },
};

/** From field to field by Tab where there is one: the hands are on the keys. */
async function exposeHttp(hand: Hand, { backendPort }: TaskScene): Promise<void> {
  const form = dialog(hand);
  const goOn = async (field: string): Promise<void> =>
    hand.means === 'phone' ? hand.point(form.getByLabel(field)) : hand.tabTo(form.getByLabel(field));
  await hand.sees(form.getByLabel('Service Name'));
  await hand.type(hand.place);
  await goOn('Public HTTP Path');
  // By Tab its `/` is selected, by a finger it is typed on.
  await hand.type(hand.means === 'phone' ? hand.place : `/${hand.place}`);
  await goOn('Backend Port');
  await hand.type(String(backendPort));
  await hand.press('Enter');
  await hand.sees(hand.page.getByRole('dialog', { name: /^Your Service is/ }));
}

const publish: Task = {
  name: 'publish a web server',
  async pointing(hand, scene) {
    await hand.point(button(hand, 'Expose Service'));
    await exposeHttp(hand, scene);
  },
  async keys(hand, scene) {
    await findInPalette(hand, 'http', 'Expose HTTP');
    await hand.press('Enter');
    await exposeHttp(hand, scene);
  },
  async outcome({ place }, { gateway }) {
    const { status, body } = await curl(`https://gateway.example.test:${gateway.ports.https}/${place}`);
    expect([status, body]).toEqual([200, 'hello']);
  },
};

const closeService: Task = {
  name: 'close a service',
  async pointing(hand) {
    const name = `Chat ${hand.place}`;
    await openService(hand, name);
    await hand.point(button(hand, `Actions of ${name}`));
    await hand.point(hand.page.getByRole('menuitem', { name: 'Disable Access' }));
    await hand.point(button(hand, 'Yes, disable public access!'));
    await hand.sees(button(hand, /^Undo/));
  },
  async keys(hand) {
    const name = `Chat ${hand.place}`;
    await findInPalette(hand, name.toLowerCase(), name);
    await hand.press('ArrowRight');
    await hand.sees(hand.page.getByRole('combobox', { name: `Actions of ${name}` }));
    await hand.type('dis');
    await hand.press('Enter');
    await hand.sees(dialog(hand));
    await hand.press('Tab', 'Enter');
    await hand.sees(button(hand, /^Undo/));
  },
  async outcome({ place }, scene) {
    expect((await serviceNamed(scene, `Chat ${place}`)).enabled).toBe(false);
    const { status } = await curl(`https://${domainOf(place)}:${scene.gateway.ports.https}${pathOf('Chat')}`);
    expect(status).not.toBe(200);
  },
};

const closeTagged: Task = {
  name: 'close the five services of a tag',
  async pointing(hand) {
    await listTagged(hand);
    await selectAll(hand);
    await hand.point(button(hand, 'Disable'));
    await hand.point(button(hand, `Disable ${TAGGED.length} services`));
    await hand.sees(hand.page.getByText(`${TAGGED.length} services disabled.`));
  },
  async keys(hand) {
    await listTagged(hand);
    await selectAll(hand);
    await hand.sees(button(hand, 'Disable'));
    await hand.press('d');
    await hand.sees(button(hand, `Disable ${TAGGED.length} services`));
    await hand.press('Tab', 'Enter');
    await hand.sees(hand.page.getByText(`${TAGGED.length} services disabled.`));
  },
  async outcome({ means }, { client }) {
    const { data } = await client.service.list({ query: { tag: [tagOf[means]], status: 'closed' } });
    expect(data).toHaveLength(TAGGED.length);
  },
};

const NEW_TAG = 'old';
const tagSome: Task = {
  name: 'give five services another tag',
  async pointing(hand) {
    await listTagged(hand);
    await selectAll(hand);
    await hand.point(button(hand, 'Tag'));
    await hand.sees(dialog(hand).getByLabel('Add a tag'));
    await hand.type(NEW_TAG);
    // The hands are on the keys: it becomes a tag, and they get it.
    await hand.press('Enter', 'Enter');
    await hand.sees(hand.page.getByText(`${TAGGED.length} services tagged.`));
  },
  async keys(hand) {
    await listTagged(hand);
    await selectAll(hand);
    await hand.sees(button(hand, 'Tag'));
    await hand.press('t');
    await hand.sees(dialog(hand).getByLabel('Add a tag'));
    await hand.type(NEW_TAG);
    await hand.press('Enter', 'Enter');
    await hand.sees(hand.page.getByText(`${TAGGED.length} services tagged.`));
  },
  async outcome({ means }, { client }) {
    const { data } = await client.service.list({ query: { tag: [tagOf[means], NEW_TAG] } });
    expect(data).toHaveLength(TAGGED.length);
  },
};

const findDown: Task = {
  name: 'list every service that is down',
  async pointing(hand) {
    await goTo(hand, 'Services');
    await hand.point(button(hand, 'Filters'));
    await hand.choose(hand.page.getByRole('combobox', { name: 'Status' }), 'Down');
    await onlyDown(hand);
  },
  async keys(hand) {
    await hand.press('g', 's');
    await hand.sees(button(hand, 'Filters'));
    await hand.press('/');
    await hand.tabTo(button(hand, 'Filters'), 'Shift+Tab');
    await hand.press('Enter');
    await hand.tabTo(hand.page.getByRole('combobox', { name: 'Status' }));
    await hand.type('d');
    await onlyDown(hand);
  },
  async outcome({ page }, { client }) {
    const { total } = await client.service.list({ query: { status: 'down', limit: 1 } });
    expect(total).toBeGreaterThan(BROKEN.length);
    await expect(page.locator('tbody').getByRole('checkbox')).toHaveCount(total);
    await expect(page.getByRole('cell', { name: 'Down' })).toHaveCount(total);
  },
};
const onlyDown = async (hand: Hand): Promise<void> => {
  await hand.sees(hand.page.locator('tbody tr:first-child').getByRole('link', { name: /^(Heating|Git) / }));
};

const changePort: Task = {
  name: "change the port of a service's backend",
  async pointing(hand, { backendPort }) {
    await openService(hand, `Git ${hand.place}`);
    await hand.point(button(hand, 'Edit backend'));
    await hand.sees(dialog(hand).getByLabel('Backend Port').and(hand.page.locator(':focus')));
    await hand.type(String(backendPort));
    await hand.press('Enter');
    await hand.sees(hand.page.getByRole('dialog', { name: /^Your Service is/ }));
  },
  async keys(hand, { backendPort }) {
    await openService(hand, `Git ${hand.place}`);
    await hand.press('e');
    await hand.tabTo(dialog(hand).getByLabel('Backend Port'));
    await hand.type(String(backendPort));
    await hand.press('Enter');
    await hand.sees(hand.page.getByRole('dialog', { name: /^Your Service is/ }));
  },
  async outcome({ place }, { gateway }) {
    const { body } = await curl(`https://${domainOf(place)}:${gateway.ports.https}${pathOf('Git')}`);
    expect(body).toBe('hello');
  },
};

const followErrors: Task = {
  name: "follow the errors in a service's log",
  async pointing(hand) {
    await openService(hand, `News ${hand.place}`);
    await hand.point(hand.page.getByRole('link', { name: 'Logs', exact: true }));
    if (hand.means === 'phone') await hand.point(button(hand, /^Filter/));
    await hand.point(hand.page.getByRole('checkbox', { name: 'Error' }));
  },
  async keys(hand) {
    await openService(hand, `News ${hand.place}`);
    await hand.press('l');
    await hand.sees(hand.page.getByLabel('Search the lines'));
    await hand.press('/');
    await hand.tabTo(hand.page.getByRole('checkbox', { name: 'Error' }));
    await hand.press('Space');
  },
  async outcome({ page, place }, { gateway }) {
    const url = `https://${domainOf(place)}:${gateway.ports.https}${pathOf('News')}`;
    await curl(`${url}/after`);
    await curl(`${url}/broken-after`);
    const lines = page.locator('[data-line]');
    await expect(lines.filter({ hasText: '/broken-after' })).toBeVisible();
    await expect(lines.filter({ hasNotText: 'broken' })).toHaveCount(0);
  },
};

const createNode: Task = {
  name: 'create a node and copy what its host runs to join',
  async pointing(hand) {
    await hand.point(button(hand, 'Create Node'));
    await hand.sees(dialog(hand).getByLabel(/^Name/));
    await hand.type(`nas-${hand.place}`);
    await hand.press('Enter');
    await hand.point(button(hand, 'Copy: Join command'));
  },
  async keys(hand) {
    await hand.press('c');
    await hand.sees(dialog(hand).getByLabel(/^Name/));
    await hand.type(`nas-${hand.place}`);
    await hand.press('Enter');
    await hand.tabTo(button(hand, 'Copy: Join command'));
    await hand.press('Enter');
  },
  async outcome(hand, { client, gateway }) {
    await expect.poll(() => clipboard(hand)).toBe(`sudo sallyport connect --url=${gateway.consoleUrl}`);
    const { data } = await client.node.list({ query: { search: `nas-${hand.place}` } });
    expect(data).toHaveLength(1);
  },
};

const blockVisitor: Task = {
  name: 'keep a visitor out whom the log shows',
  async pointing(hand) {
    await openService(hand, `Shop ${hand.place}`);
    await hand.point(hand.page.getByRole('link', { name: 'Logs', exact: true }));
    await hand.point(hand.page.getByRole('option').filter({ hasText: '/broken' }).last());
    await hand.point(button(hand, 'Block this address'));
    await hand.sees(hand.page.getByText(` is blocked from Shop ${hand.place}.`));
  },
  async keys(hand) {
    await openService(hand, `Shop ${hand.place}`);
    await hand.press('l');
    const lines = hand.page.getByRole('listbox', { name: /^Real time logs/ });
    await hand.sees(lines);
    await hand.press('/', 'Escape', 'ArrowUp');
    await hand.tabTo(button(hand, 'Block this address'));
    await hand.press('Enter');
    await hand.sees(hand.page.getByText(` is blocked from Shop ${hand.place}.`));
  },
  async outcome({ place }, { gateway }) {
    const url = `https://${domainOf(place)}:${gateway.ports.https}${pathOf('Shop')}`;
    await expect.poll(async () => (await curl(url)).status).toBe(403);
  },
};

/** What an administrator does often, in a gateway with 300 services. */
export const tasks: readonly Task[] = [
  copyAddress,
  publish,
  closeService,
  closeTagged,
  tagSome,
  findDown,
  changePort,
  followErrors,
  createNode,
  blockVisitor,
];
