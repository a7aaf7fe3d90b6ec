import { expect, test } from '@playwright/test';
import { signIn } from '../support/console.ts';
import { signedIn, startGateway } from '../support/gateway.ts';

const SERVICES = 100;
const START_MAX_MS = 30_000;

test('a gateway that is killed while it disables many services: nothing is claimed, and asking again tells what was done', async ({
  page,
}) => {
  test.setTimeout(4 * START_MAX_MS);
  const gateway = await startGateway({ host: 'gateway.example.test' });
  try {
    const { client } = await signedIn(gateway);
    const backend = { domain: 'app.example.test', backendHost: '127.0.0.1', backendPort: 1 };
    await Promise.all(
      Array.from({ length: SERVICES }, (_, number) =>
        client.httpService.create({
          params: { nodeId: 1 },
          body: { name: `Service ${number}`, pathLocation: `/${number}`, ...backend },
        }),
      ),
    );
    await signIn(page, gateway);
    await page.goto(`${gateway.consoleUrl}/services?size=${SERVICES}&search=Service`);
    await page.getByRole('checkbox', { name: 'Select all services of this page' }).check();
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    const asked = page.waitForRequest((request) => request.url().endsWith('/api/services/bulk'));
    await page.getByRole('button', { name: `Disable ${SERVICES} services` }).click();
    await asked;
    await gateway.end('SIGKILL');

    const told = page.getByRole('dialog', { name: 'The gateway did not answer' });
    await expect(told).toContainText('Whether they were disabled is not known.', { timeout: START_MAX_MS });
    await expect(page.getByText(`${SERVICES} services disabled.`)).toHaveCount(0);
    await gateway.start();
    await told.getByRole('button', { name: 'Ask again' }).click();
    await expect(page.getByText(`${SERVICES} services disabled.`)).toBeVisible({ timeout: START_MAX_MS });
    expect((await client.service.list({ query: { search: 'Service', status: 'closed', limit: 1 } })).total).toBe(
      SERVICES,
    );
  } finally {
    await gateway.close();
  }
});
